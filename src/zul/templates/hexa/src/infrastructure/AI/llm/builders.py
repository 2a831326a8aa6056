"""One function for each kind of chat model. Importing this module takes seconds."""

import math
import os
import re
from collections.abc import Sequence
from typing import Any

import httpx
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel

from src.application.errors import ModelNotConfiguredError
from src.infrastructure.AI.llm import background
from src.infrastructure.AI.llm.guard import GuardedChatModel
from src.infrastructure.AI.llm.openai_chat import TolerantChatOpenAI
from src.infrastructure.AI.llm.providers import (
    DEMO,
    OPENAI,
    PROVIDERS,
    ModelName,
    missing_package_error,
    require_key,
)
from src.infrastructure.settings import Settings

_LOCAL_SERVER_KEY = "not-needed"
_FIXED_TEMPERATURE = re.compile(r"(o\d|gpt-([5-9]|\d\d))(?!.*chat)")
"""OpenAI's reasoning models refuse every temperature but their own."""


def build_guarded_model(
    names: Sequence[ModelName], settings: Settings, temperature: float | None
) -> GuardedChatModel:
    """Return the first of ``names`` with the others as its fallbacks.

    Raises:
        ModelNotConfiguredError: one of them cannot be built.
    """
    # The address belongs to the first model's provider; any other provider has its own.
    first = names[0].provider
    models = [
        _build(
            name, settings.llm_base_url if name.provider == first else None, settings, temperature
        )
        for name in names
    ]
    return GuardedChatModel(
        inner=models[0],
        fallbacks=tuple(models[1:]),
        total_timeout_seconds=settings.llm_timeout_seconds,
        max_retries=settings.llm_max_retries,
        requests_per_second=settings.llm_requests_per_second,
    )


def _build(
    name: ModelName, base_url: str | None, settings: Settings, temperature: float | None
) -> BaseChatModel:
    if name.provider == DEMO:
        # Here, so that a project may delete the demo folder.
        from src.infrastructure.AI.llm.demo import DemoChatModel  # noqa: PLC0415

        return DemoChatModel()
    # A server of one's own may need no key.
    if name.provider != OPENAI or base_url is None:
        require_key(name.provider)
    options: dict[str, Any] = {} if base_url is None else {"base_url": base_url}
    if temperature is not None:
        options["temperature"] = temperature
    if name.provider == OPENAI:
        return _build_openai(name.model, settings, options)
    return _build_other(name, options | _limits(name.provider, settings))


def _build_openai(model: str, settings: Settings, options: dict[str, Any]) -> BaseChatModel:
    total = settings.llm_timeout_seconds
    if _FIXED_TEMPERATURE.match(model):
        options.pop("temperature", None)
    if "base_url" in options:
        options["use_responses_api"] = False  # other servers speak chat completions
    built = TolerantChatOpenAI(
        model=model,
        api_key=os.environ.get("OPENAI_API_KEY", "").strip() or _LOCAL_SERVER_KEY,
        timeout=httpx.Timeout(total, connect=min(total, settings.llm_connect_timeout_seconds)),
        stream_chunk_timeout=total,
        max_retries=0,  # the guard repeats calls, for every provider alike
        **options,
    )
    background.close_with(built, built.root_async_client.close)
    return built


def _build_other(name: ModelName, options: dict[str, Any]) -> BaseChatModel:
    try:
        model: BaseChatModel = init_chat_model(name.model, model_provider=name.provider, **options)
        if (model.profile or {}).get("temperature") is False and "temperature" in options:
            del options["temperature"]
            return _build_other(name, options)
    except ImportError as error:
        raise missing_package_error(name.provider) from error
    except ValueError as error:
        msg = f"Model bahasa dari provider '{name.provider}' tidak dapat dibuat. Periksa LLM_MODEL."
        raise ModelNotConfiguredError(msg) from error
    return model


def _limits(provider: str, settings: Settings) -> dict[str, Any]:
    total = settings.llm_timeout_seconds
    if provider == "ollama":
        return {"client_kwargs": {"timeout": total}}
    if not PROVIDERS[provider].accepts_limits:
        return {}
    # A whole number, as one of them takes no other; the guard ends the call on time.
    return {"timeout": math.ceil(total), "max_retries": 0}
