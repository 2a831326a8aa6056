"""Builds the chat model that the settings name."""

import os
from collections.abc import Collection
from typing import TYPE_CHECKING

from dotenv import dotenv_values

from src.infrastructure.AI.llm.providers import DEMO, ModelName, parse_model_name, variable_prefixes
from src.infrastructure.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

DEFAULT_MODEL = "gpt-5.4-mini"
"""The model of OpenAI that is used when ``LLM_MODEL`` is not set."""


def get_llm_model(temperature: float | None = 0.0, model: str | None = None) -> "BaseChatModel":
    """Return a chat model whose calls are bounded in time and fail with the application's errors.

    Args:
        temperature: left out for models that refuse one, and when it is None.
        model: used instead of ``LLM_MODEL``, in the same form.

    Raises:
        ModelNotConfiguredError: the name, a key or a provider's package is missing; the text says
            which one, and is safe to show.
    """
    settings = Settings()
    has_own_server = settings.llm_base_url is not None
    texts = (model or settings.llm_model or DEFAULT_MODEL, *settings.llm_fallback_models)
    names = [parse_model_name(text, has_own_server=has_own_server) for text in texts]
    _read_env_file({name.provider for name in names})
    if names == [ModelName(DEMO, DEMO)]:
        from src.infrastructure.AI.llm.demo import DemoChatModel  # noqa: PLC0415 - see below

        return DemoChatModel()
    # LangChain and the SDKs take seconds to import; a server without a request needs neither.
    from src.infrastructure.AI.llm.builders import build_guarded_model  # noqa: PLC0415

    return build_guarded_model(names, settings, temperature)


def _read_env_file(providers: Collection[str]) -> None:
    """Let the providers' packages, which read only the environment, find their keys in ``.env``.

    The variables of these providers only: what else the file holds is nobody's business in this
    process, nor in those that it starts. What the environment holds wins; an empty variable counts
    as not set, as it does in Settings.
    """
    prefixes = tuple(prefix for each in providers for prefix in variable_prefixes(each))
    for variable, value in dotenv_values(".env", encoding="utf-8").items():
        if variable.startswith(prefixes) and value and not os.environ.get(variable):
            os.environ[variable] = value
