import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from src.application.errors import ModelNotConfiguredError
from src.infrastructure.AI.llm import get_llm_model
from src.infrastructure.AI.llm.factory import DEFAULT_MODEL
from src.infrastructure.AI.llm.guard import GuardedChatModel
from src.infrastructure.AI.llm.openai_chat import TolerantChatOpenAI
from src.infrastructure.AI.llm.providers import PROVIDERS, ModelName, parse_model_name

_KEY = "sk-test-123456"
_PROJECT = Path(__file__).parents[3]


def _openai_model(built: object) -> TolerantChatOpenAI:
    assert isinstance(built, GuardedChatModel)
    assert isinstance(built.inner, TolerantChatOpenAI)
    return built.inner


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("openai:gpt-4.1-mini", ModelName("openai", "gpt-4.1-mini")),
        ("gpt-4.1-mini", ModelName("openai", "gpt-4.1-mini")),
        (" gpt-4.1-mini ", ModelName("openai", "gpt-4.1-mini")),
        ("openai/gpt-4.1", ModelName("openai", "openai/gpt-4.1")),
        ("ft:gpt-4.1-mini:org::id", ModelName("openai", "ft:gpt-4.1-mini:org::id")),
        ("openai:ft:gpt-4.1-mini:org::id", ModelName("openai", "ft:gpt-4.1-mini:org::id")),
        ("anthropic:claude-sonnet-4-5", ModelName("anthropic", "claude-sonnet-4-5")),
        ("Google-GenAI:gemini-2.5-flash", ModelName("google_genai", "gemini-2.5-flash")),
        ("gemini:gemini-2.5-flash", ModelName("google_genai", "gemini-2.5-flash")),
        ("ollama:llama3:8b", ModelName("ollama", "llama3:8b")),
        ("demo", ModelName("demo", "demo")),
        ("Demo", ModelName("demo", "demo")),
    ],
)
def test_model_names(text: str, expected: ModelName) -> None:
    assert parse_model_name(text, has_own_server=False) == expected


@pytest.mark.parametrize("text", ["llama3:8b", "opnai:gpt-4.1", "openai:", ":gpt", "", "  "])
def test_a_name_that_says_no_provider_is_refused_with_the_form_to_use(text: str) -> None:
    with pytest.raises(ModelNotConfiguredError, match=r"provider:model.*anthropic.*openai"):
        parse_model_name(text, has_own_server=False)


@pytest.mark.parametrize("text", ["llama3:8b", "meta-llama/llama-3:free", "mistral:latest"])
def test_on_an_own_server_model_names_may_hold_colons(text: str) -> None:
    assert parse_model_name(text, has_own_server=True) == ModelName("openai", text)


def test_the_default_is_a_model_of_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", _KEY)
    assert _openai_model(get_llm_model()).model_name == DEFAULT_MODEL


def test_settings_are_read_at_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", _KEY)
    monkeypatch.setenv("LLM_MODEL", "gpt-4.1")
    assert _openai_model(get_llm_model()).model_name == "gpt-4.1"
    monkeypatch.setenv("LLM_MODEL", "openai:gpt-4.1-mini")
    assert _openai_model(get_llm_model()).model_name == "gpt-4.1-mini"


def test_the_parameter_wins_over_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", _KEY)
    monkeypatch.setenv("LLM_MODEL", "gpt-4.1")
    assert _openai_model(get_llm_model(model="gpt-4.1-nano")).model_name == "gpt-4.1-nano"


@pytest.mark.parametrize(
    "provider", sorted(name for name, needs in PROVIDERS.items() if needs.key_variables)
)
def test_a_missing_key_is_named_before_anything_is_built(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_MODEL", f"{provider}:some-model")
    with pytest.raises(ModelNotConfiguredError) as raised:
        get_llm_model()
    for variable in PROVIDERS[provider].key_variables:
        assert variable in str(raised.value)
    assert str(raised.value).endswith(" belum diisi. Isi di .env atau pakai LLM_MODEL=demo.")


@pytest.mark.parametrize("blank", ["", "   "])
def test_a_blank_key_is_a_missing_key(blank: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", blank)
    with pytest.raises(ModelNotConfiguredError, match="OPENAI_API_KEY"):
        get_llm_model()


def test_a_key_may_stand_in_the_env_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "")
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY={_KEY}\nLLM_MODEL=gpt-4.1\n", encoding="utf-8")
    model = _openai_model(get_llm_model())
    assert model.model_name == "gpt-4.1"
    assert model.root_client.api_key == _KEY


@pytest.mark.parametrize(
    ("model", "read"),
    [
        ("gpt-4.1", {"OPENAI_API_KEY", "OPENAI_ORG_ID"}),
        ("azure:gpt-4.1", {"OPENAI_API_KEY", "OPENAI_ORG_ID", "AZURE_OPENAI_ENDPOINT"}),
        ("demo", set()),
    ],
)
def test_of_the_env_file_only_the_providers_variables_reach_the_environment(
    model: str, read: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {
        "OPENAI_API_KEY",
        "OPENAI_ORG_ID",
        "AZURE_OPENAI_ENDPOINT",
        "ANTHROPIC_API_KEY",
        "SMTP_PASSWORD",
        "LOG_LEVEL",
    }
    for name in names:
        monkeypatch.setenv(name, "")  # so that what is set now is undone
    lines = "".join(f"{name}=x\n" for name in sorted(names))
    (tmp_path / ".env").write_text(f"{lines}LLM_MODEL={model}\n", encoding="utf-8")

    with suppress(ModelNotConfiguredError):  # Azure has no key here
        get_llm_model()

    assert {name for name in names if os.environ[name]} == read


def test_the_environment_wins_over_the_env_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", _KEY)
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-other\n", encoding="utf-8")
    assert _openai_model(get_llm_model()).root_client.api_key == _KEY


def test_an_own_server_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("LLM_MODEL", "llama3:8b")
    model = _openai_model(get_llm_model())
    assert model.model_name == "llama3:8b"
    assert model.openai_api_base == "http://127.0.0.1:9/v1"


def test_a_given_key_goes_to_the_own_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", _KEY)
    assert _openai_model(get_llm_model()).root_client.api_key == _KEY


@pytest.mark.parametrize(
    ("provider", "command"),
    [
        ("cohere", "pip install langchain-cohere"),
        ("together", "pip install langchain-together"),
        ("bedrock", "pip install langchain-aws"),
    ],
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    provider: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in PROVIDERS[provider].key_variables:
        monkeypatch.setenv(variable, _KEY)
    monkeypatch.setitem(sys.modules, command.rsplit(maxsplit=1)[-1].replace("-", "_"), None)
    with pytest.raises(ModelNotConfiguredError) as raised:
        get_llm_model(model=f"{provider}:some-model")
    assert command in str(raised.value)


@pytest.mark.parametrize(
    ("provider", "package", "extra"),
    [
        ("anthropic", "langchain_anthropic", "anthropic"),
        ("google_genai", "langchain_google_genai", "google"),
        ("groq", "langchain_groq", "groq"),
        ("mistralai", "langchain_mistralai", "mistral"),
        ("ollama", "langchain_ollama", "ollama"),
    ],
)
def test_the_packages_of_the_big_providers_are_extras(
    provider: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in PROVIDERS[provider].key_variables:
        monkeypatch.setenv(variable, _KEY)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModelNotConfiguredError) as raised:
        get_llm_model(model=f"{provider}:some-model")
    assert f'pip install -e ".[{extra}]"' in str(raised.value)
    assert f"\n{extra} = [" in (_PROJECT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("model", "given", "used"),
    [
        ("gpt-4.1-mini", 0.3, 0.3),
        ("gpt-4.1-mini", 0.0, 0.0),
        ("gpt-4.1-mini", None, None),
        ("o3-mini", 0.0, None),
        ("gpt-5-mini", 0.0, None),
        ("gpt-5-chat-latest", 0.0, 0.0),
        ("gpt-oss:20b", 0.2, 0.2),
    ],
)
def test_temperature_is_left_out_for_models_that_refuse_it(
    model: str, given: float | None, used: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9/v1")
    assert _openai_model(get_llm_model(given, model)).temperature == used


def test_limits_come_from_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", _KEY)
    monkeypatch.setenv("LLM_TIMEOUT_SECONDS", "7")
    monkeypatch.setenv("LLM_CONNECT_TIMEOUT_SECONDS", "3")
    monkeypatch.setenv("LLM_MAX_RETRIES", "4")
    monkeypatch.setenv("LLM_REQUESTS_PER_SECOND", "2.5")
    built = get_llm_model()
    assert isinstance(built, GuardedChatModel)
    assert (built.total_timeout_seconds, built.max_retries) == (7, 4)
    assert built.requests_per_second == 2.5
    client = _openai_model(built).root_async_client
    assert client.max_retries == 0
    assert client.timeout.as_dict() == {"connect": 3, "read": 7, "write": 7, "pool": 7}


def test_fallbacks_are_built_in_order_and_keep_their_own_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("LLM_MODEL", "big")
    monkeypatch.setenv("LLM_FALLBACK_MODELS", "small:8b, tiny")
    built = get_llm_model()
    assert isinstance(built, GuardedChatModel)
    names = [getattr(model, "model_name", None) for model in (built.inner, *built.fallbacks)]
    assert names == ["big", "small:8b", "tiny"]


def test_a_fallback_of_another_provider_needs_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("LLM_FALLBACK_MODELS", "anthropic:claude-sonnet-4-5")
    with pytest.raises(ModelNotConfiguredError, match="ANTHROPIC_API_KEY"):
        get_llm_model()


def test_no_key_is_shown_by_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", _KEY)
    built = get_llm_model()
    assert _KEY not in repr(built) + repr(_openai_model(built)) + str(built._serialized)


def test_importing_the_factory_imports_no_library_of_models() -> None:
    code = (
        "import sys, src.infrastructure.AI.llm\n"
        "heavy = {'langchain', 'langchain_core', 'langgraph', 'openai', 'langchain_openai'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=_PROJECT)  # noqa: S603 - fixed code


def test_the_demo_model_imports_no_sdk() -> None:
    code = (
        "import os, sys\n"
        "os.environ['LLM_MODEL'] = 'demo'\n"
        "from src.infrastructure.AI.llm import get_llm_model\n"
        "assert type(get_llm_model()).__name__ == 'DemoChatModel'\n"
        "assert 'openai' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=_PROJECT)  # noqa: S603 - fixed code


def test_the_demo_model_may_be_a_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("LLM_FALLBACK_MODELS", "demo")
    monkeypatch.setenv("LLM_MAX_RETRIES", "0")
    assert "demo" in get_llm_model().invoke("halo").text
