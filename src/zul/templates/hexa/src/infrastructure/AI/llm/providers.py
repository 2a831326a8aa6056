"""The providers of chat models: how ``LLM_MODEL`` names them and what each of them needs."""

import os
from dataclasses import dataclass

from src.application.errors import ModelNotConfiguredError

DEMO = "demo"
OPENAI = "openai"

_LONGEST_SHOWN_NAME = 80


@dataclass(frozen=True, slots=True)
class Provider:
    """What a provider needs.

    Attributes:
        key_variables: any one of them holds the API key; empty when none is needed or when the
            provider's package looks for credentials in more places than the environment.
        install: what ``pip install`` needs to be told, for a person to type.
        accepts_limits: its class takes ``timeout`` and ``max_retries``.
        prefixes: how variables of its package start, beside those that start as its keys do.
    """

    key_variables: tuple[str, ...] = ()
    install: str = ""
    accepts_limits: bool = False
    prefixes: tuple[str, ...] = ()


PROVIDERS = {
    "anthropic": Provider(("ANTHROPIC_API_KEY",), '-e ".[anthropic]"', accepts_limits=True),
    "azure_openai": Provider(("AZURE_OPENAI_API_KEY",), accepts_limits=True, prefixes=("OPENAI_",)),
    "bedrock": Provider(install="langchain-aws", prefixes=("AWS_",)),
    "bedrock_converse": Provider(install="langchain-aws", prefixes=("AWS_",)),
    "cohere": Provider(("COHERE_API_KEY",), "langchain-cohere", prefixes=("CO_",)),
    "deepseek": Provider(("DEEPSEEK_API_KEY",), "langchain-deepseek", accepts_limits=True),
    "fireworks": Provider(("FIREWORKS_API_KEY",), "langchain-fireworks"),
    "google_genai": Provider(
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"), '-e ".[google]"', accepts_limits=True
    ),
    "google_vertexai": Provider(install="langchain-google-vertexai", prefixes=("GOOGLE_",)),
    "groq": Provider(("GROQ_API_KEY",), '-e ".[groq]"', accepts_limits=True),
    "mistralai": Provider(("MISTRAL_API_KEY",), '-e ".[mistral]"', accepts_limits=True),
    "nvidia": Provider(("NVIDIA_API_KEY",), "langchain-nvidia-ai-endpoints"),
    "ollama": Provider(install='-e ".[ollama]"', prefixes=("OLLAMA_",)),
    OPENAI: Provider(("OPENAI_API_KEY",), accepts_limits=True),
    "openrouter": Provider(("OPENROUTER_API_KEY",), "langchain-openrouter"),
    "perplexity": Provider(("PPLX_API_KEY", "PERPLEXITY_API_KEY"), "langchain-perplexity"),
    "together": Provider(("TOGETHER_API_KEY",), "langchain-together"),
    "xai": Provider(("XAI_API_KEY",), "langchain-xai", accepts_limits=True),
}

_OTHER_SPELLINGS = {"azure": "azure_openai", "gemini": "google_genai", "google": "google_genai"}


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model of a provider, as ``LLM_MODEL`` names it."""

    provider: str
    model: str


def parse_model_name(text: str, *, has_own_server: bool) -> ModelName:
    """Read ``provider:model``, a bare model name of OpenAI, or ``demo``.

    Args:
        text: the setting.
        has_own_server: there is an OpenAI-compatible server, whose model names may hold colons.

    Raises:
        ModelNotConfiguredError: the text before the colon names no provider.
    """
    name = text.strip()
    if name.lower() == DEMO:
        return ModelName(DEMO, DEMO)
    prefix, colon, rest = name.partition(":")
    provider = prefix.strip().lower().replace("-", "_")
    provider = _OTHER_SPELLINGS.get(provider, provider)
    if provider in PROVIDERS and rest.strip():
        return ModelName(provider, rest.strip())
    # A fine-tuned model of OpenAI is called "ft:<base model>:...".
    if name and (not colon or provider == "ft" or (has_own_server and provider not in PROVIDERS)):
        return ModelName(OPENAI, name)
    raise ModelNotConfiguredError(_unknown_name_text(name))


def variable_prefixes(provider: str) -> tuple[str, ...]:
    """Return how the variables start that the package of ``provider`` reads."""
    if provider == DEMO:
        return ()
    known = PROVIDERS[provider]
    return (*(f"{key.partition('_')[0]}_" for key in known.key_variables), *known.prefixes)


def require_key(provider: str) -> None:
    """Check that the environment holds the API key of ``provider``.

    Raises:
        ModelNotConfiguredError: it does not; the text names the variable.
    """
    variables = PROVIDERS[provider].key_variables
    if variables and not any(os.environ.get(name, "").strip() for name in variables):
        names = " atau ".join(variables)
        msg = f"{names} belum diisi. Isi di .env atau pakai LLM_MODEL=demo."
        raise ModelNotConfiguredError(msg)


def missing_package_error(provider: str) -> ModelNotConfiguredError:
    """Return the error that tells how to install the package of ``provider``."""
    command = f"pip install {PROVIDERS[provider].install}".strip()
    return ModelNotConfiguredError(
        f"Paket untuk provider '{provider}' belum terpasang. Jalankan: {command}"
    )


def _unknown_name_text(name: str) -> str:
    known = ", ".join(sorted(PROVIDERS))
    return (
        f"LLM_MODEL '{name[:_LONGEST_SHOWN_NAME]}' tidak dikenal. "
        f"Pakai bentuk provider:model, atau demo. Provider: {known}."
    )
