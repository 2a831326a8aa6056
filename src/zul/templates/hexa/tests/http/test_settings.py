import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from src.infrastructure.settings import Settings

ROOT = Path(__file__).parents[2]
NAMES = {name.upper() for name in Settings.model_fields}
KEYS_OF_PROVIDERS = {"OPENAI_API_KEY", "ANTHROPIC_API_KEY"}
TRUE_WORDS = ["1", "true", "yes", "on", "TRUE", "Yes", "oN", " true "]
OTHER_WORDS = ["0", "false", "no", "off", "", "2", "ja", "enabled", "truee"]


def test_unset_settings_mean_no_database_no_playground_and_the_default_model() -> None:
    settings = Settings()

    assert settings.llm_model is None
    assert settings.llm_base_url is None
    assert settings.database_url is None
    assert settings.playground_enabled is False
    assert settings.playground_origins == ()
    assert settings.conversation_wait_seconds == 30
    assert settings.llm_timeout_seconds == 60


@pytest.mark.parametrize(("text", "seconds"), [("", 60), ("2.5", 2.5), ("0", None)])
def test_a_tool_may_take_a_minute_unless_the_settings_say_otherwise(
    text: str, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOL_TIMEOUT_SECONDS", text)

    assert Settings().limits.tool_seconds == seconds


@pytest.mark.parametrize("text", ["-1", "soon", "nan", "inf"])
def test_the_time_of_a_tool_is_a_finite_number(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOL_TIMEOUT_SECONDS", text)

    with pytest.raises(ValidationError, match="tool_timeout_seconds"):
        Settings()


@pytest.mark.parametrize("word", TRUE_WORDS, ids=repr)
def test_some_words_switch_the_playground_on(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYGROUND_ENABLED", word)

    assert Settings().playground_enabled is True


@pytest.mark.parametrize("word", OTHER_WORDS, ids=repr)
def test_any_other_word_leaves_it_off(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYGROUND_ENABLED", word)

    assert Settings().playground_enabled is False


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("", ()),
        ("http://a.example", ("http://a.example",)),
        (
            " http://a.example , http://b.example:5173,",
            ("http://a.example", "http://b.example:5173"),
        ),
    ],
    ids=repr,
)
def test_origins_are_separated_by_commas(
    text: str, origins: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYGROUND_ORIGINS", text)

    assert Settings().playground_origins == origins


def test_the_environment_wins_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("LLM_MODEL=demo\nDATABASE_URL=sqlite:///data/app.db\n")
    monkeypatch.setenv("LLM_MODEL", "openai:gpt-5-mini")

    settings = Settings()

    assert settings.llm_model == "openai:gpt-5-mini"
    assert settings.database_url == "sqlite:///data/app.db"


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "")
    monkeypatch.setenv("LLM_TIMEOUT_SECONDS", "")

    assert Settings().database_url is None
    assert Settings().llm_timeout_seconds == 60


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LLM_TIMEOUT_SECONDS", "0"),
        ("LLM_TIMEOUT_SECONDS", "soon"),
        ("LLM_MAX_RETRIES", "-1"),
        ("CONVERSATION_WAIT_SECONDS", "-1"),
        ("WORKER_THREADS", "0"),
        ("DATABASE_POOL_SIZE", "0"),
    ],
)
def test_a_value_of_the_wrong_form_is_refused_by_name(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(ValidationError, match=name.lower()):
        Settings()


def test_the_example_file_is_ready_to_copy(tmp_path: Path) -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    (tmp_path / ".env").write_text(example, encoding="utf-8")

    settings = Settings()

    assert settings.llm_model == "demo"
    assert settings.database_url == "sqlite:///data/app.db"
    assert settings.playground_enabled is True


def test_the_example_file_has_every_setting_and_no_other() -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")

    assert (
        set(re.findall(r"^(?:# )?([A-Z_]+)=", example, re.MULTILINE)) == NAMES | KEYS_OF_PROVIDERS
    )


def test_what_the_example_file_has_commented_out_can_be_switched_on(tmp_path: Path) -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    switched_on = re.sub(r"^# (?=[A-Z_]+=)", "", example, flags=re.MULTILINE)
    defaults = Settings().model_dump()
    (tmp_path / ".env").write_text(switched_on, encoding="utf-8")

    values = Settings().model_dump()

    assert {name for name in values if values[name] != defaults[name]} == {
        "llm_model",
        "llm_base_url",
        "llm_fallback_models",
        "llm_requests_per_second",
        "database_url",
        "history_max_messages",
        "history_max_tokens",
        "playground_enabled",
        "playground_origins",
    }


def test_the_documentation_has_every_setting_with_its_default() -> None:
    document = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([A-Z_]+)` \| .+ \| (.+) \|$", document, re.MULTILINE)

    documented = {name: default.replace(",", "") for name, default in rows}

    assert len(rows) == len(documented)
    assert documented.keys() == NAMES
    for name, value in Settings().model_dump().items():
        if value not in {None, ()}:
            assert documented[name.upper()].lower() == str(value).removesuffix(".0").lower()


def test_settings_do_not_change_after_they_were_read() -> None:
    with pytest.raises(ValidationError):
        Settings().llm_model = "demo"  # type: ignore[misc]  # which is the point
