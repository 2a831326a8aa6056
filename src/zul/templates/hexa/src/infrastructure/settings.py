"""Every setting of the service, in one typed class."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from src.application.AI.agents.limits import (
    CEILING_CHARS,
    CEILING_NESTING,
    MAX_ARGUMENT_CHARS,
    MAX_MESSAGE_CHARS,
    MAX_NESTING,
    MAX_RESULT_CHARS,
    MAX_TOOL_SECONDS,
    Limits,
)

_LONGEST_ESCAPE = 12
"""Bytes of one character in JSON: an emoji may be written as two escapes."""

_TRUE_WORDS = frozenset({"1", "true", "yes", "on"})


def _is_true_word(value: object) -> bool:
    return str(value).strip().lower() in _TRUE_WORDS


def _split_on_commas(value: object) -> object:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _room_for_limits(settings: dict[str, Any]) -> int:
    chars: int = settings["message_max_chars"] + 4 * settings["tool_arguments_max_chars"]
    return _LONGEST_ESCAPE * chars


class Settings(BaseSettings):
    """Read from the environment, then from ``.env`` in the working directory.

    Raises:
        pydantic.ValidationError: a value has the wrong form; the text names the variable.
    """

    model_config = SettingsConfigDict(
        env_file=".env",
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
    )

    llm_model: str | None = None
    """``provider:model``, a bare model name of OpenAI, or ``demo`` for the offline model."""

    llm_base_url: str | None = None
    """Address of an OpenAI-compatible server."""

    llm_timeout_seconds: float = Field(default=60.0, gt=0)
    """The longest wait for one reply of the chat model, all in all."""

    llm_connect_timeout_seconds: float = Field(default=10.0, gt=0)
    """The longest wait for a connection to the chat model."""

    llm_max_retries: int = Field(default=2, ge=0, le=10)
    """How often a call is repeated after 429, 5xx or a lost connection."""

    llm_fallback_models: Annotated[
        tuple[str, ...], NoDecode, BeforeValidator(_split_on_commas)
    ] = ()
    """Models, separated by commas, that are asked in this order when ``llm_model`` fails."""

    llm_requests_per_second: float | None = Field(default=None, gt=0)
    """The most requests a second that one worker sends to its chat models; no limit without it."""

    message_max_chars: int = Field(default=MAX_MESSAGE_CHARS, ge=1, le=CEILING_CHARS)
    """The longest message of a user, in characters; a longer one is refused with 422."""

    tool_arguments_max_chars: int = Field(default=MAX_ARGUMENT_CHARS, ge=100, le=CEILING_CHARS)
    """The most JSON text that the arguments of one tool call may have."""

    tool_arguments_max_nesting: int = Field(default=MAX_NESTING, ge=1, le=CEILING_NESTING)
    """The most levels of objects and lists in the arguments of one tool call."""

    tool_result_max_chars: int = Field(default=MAX_RESULT_CHARS, ge=100, le=CEILING_CHARS)
    """The longest result of a tool; the rest is cut off, with a note for the model."""

    tool_timeout_seconds: float = Field(default=MAX_TOOL_SECONDS, ge=0, le=86_400)
    """How long a tool may take before it is no longer waited for; 0 for no limit."""

    request_max_bytes: int = Field(default_factory=_room_for_limits, ge=1_000)
    """The largest body of a request, in bytes; a larger one is refused with 413. Without it: room
    for a message and four edited actions as long as they may be, in the longest form of JSON."""

    history_max_messages: int | None = Field(default=None, ge=1)
    """The most messages of a conversation that the model is sent at once; all without it."""

    history_max_tokens: int | None = Field(default=None, ge=1)
    """The same in tokens, counted approximately, with the system prompt."""

    database_url: str | None = None
    """``sqlite:///data/app.db`` or ``postgresql://…``; conversations stay in memory without it."""

    database_pool_size: int = Field(default=10, ge=1)
    """The most connections to PostgreSQL that one worker keeps, beside one for its locks."""

    database_prepared_statements: bool = True
    """``false`` behind a transaction-pooling proxy such as PgBouncer."""

    database_timeout_seconds: float = Field(default=30.0, ge=0, le=86_400)
    """How long one statement on PostgreSQL may take before it is given up; 0 for no limit."""

    conversation_wait_seconds: float = Field(default=30.0, ge=0)
    """How long a request waits for another one on the same conversation before it gets 409."""

    worker_threads: int = Field(default=1_000, ge=1)
    """How many requests one worker serves at the same time."""

    shutdown_seconds: float = Field(default=10.0, ge=0)
    """How long a stopping worker waits for turns whose clients have gone."""

    log_level: str = "INFO"

    playground_enabled: Annotated[bool, BeforeValidator(_is_true_word)] = False
    """``1``, ``true``, ``yes`` or ``on`` switch the playground on; anything else leaves it off."""

    playground_origins: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_on_commas)] = ()
    """Origins, separated by commas, that may call the playground from a browser."""

    @property
    def limits(self) -> Limits:
        """What of models, tools and people becomes part of a conversation."""
        return Limits(
            argument_chars=self.tool_arguments_max_chars,
            result_chars=self.tool_result_max_chars,
            nesting=self.tool_arguments_max_nesting,
            history_messages=self.history_max_messages,
            history_tokens=self.history_max_tokens,
            tool_seconds=self.tool_timeout_seconds or None,
        )
