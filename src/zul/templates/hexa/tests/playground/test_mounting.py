"""The playground is there only when it is wanted, and only for whom it is wanted."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from src.infrastructure.settings import Settings
from src.interface.http.main import create_app

OURS, THEIRS = "http://localhost:5173", "https://elsewhere.example"


def app_with(**settings: str) -> FastAPI:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        return create_app(Settings())


def routes_of(app: FastAPI) -> Iterator[tuple[str, str]]:
    for path, operations in app.openapi()["paths"].items():
        for method in operations:
            yield method.upper(), path


def preflight(app: FastAPI, origin: str, path: str = "/playground/messages") -> Any:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }
    return TestClient(app).options(path, headers=headers)


def test_every_path_of_it_is_404_when_it_is_off() -> None:
    on, off = app_with(PLAYGROUND_ENABLED="true"), app_with()
    paths = [(method, path) for method, path in routes_of(on) if path.startswith("/playground")]
    client = TestClient(off)

    answers = {
        (method, path): client.request(method, path.replace("{", "").replace("}", ""))
        for method, path in [*paths, ("GET", "/playground"), ("GET", "/playground/anything")]
    }

    assert {("GET", "/playground/features"), ("POST", "/playground/messages")} <= set(paths)
    assert {response.status_code for response in answers.values()} == {404}
    assert all(response.json() == {"detail": "Not Found"} for response in answers.values())


@pytest.mark.parametrize("word", ["1", "true", "YES", "on"])
def test_a_true_word_brings_it(word: str) -> None:
    client = TestClient(app_with(PLAYGROUND_ENABLED=word))

    assert client.get("/playground/features").status_code == 200


@pytest.mark.parametrize("word", ["0", "false", "no", "off", "maybe", ""], ids=repr)
def test_any_other_word_does_not(word: str) -> None:
    client = TestClient(app_with(PLAYGROUND_ENABLED=word))

    assert client.get("/playground/features").status_code == 404


def test_the_bare_address_leads_to_the_page() -> None:
    app = app_with(PLAYGROUND_ENABLED="true")
    client = TestClient(app, follow_redirects=False)

    for method in ("GET", "HEAD"):
        assert client.request(method, "/").headers["Location"] == "playground"  # behind any prefix
    assert TestClient(app).get("/").url.path == "/playground"
    assert "/" not in app.openapi()["paths"]


def test_the_bare_address_is_404_without_it() -> None:
    response = TestClient(app_with()).get("/")

    assert (response.status_code, response.json()) == (404, {"detail": "Not Found"})


class TestOrigins:
    def test_a_configured_origin_may_call_from_a_browser(self) -> None:
        app = app_with(PLAYGROUND_ENABLED="true", PLAYGROUND_ORIGINS=f"{OURS},http://b.example")

        asked = preflight(app, OURS)
        got = TestClient(app).get("/playground/features", headers={"Origin": OURS})

        assert asked.status_code == 200
        assert asked.headers["Access-Control-Allow-Origin"] == OURS
        assert got.headers["Access-Control-Allow-Origin"] == OURS

    def test_any_other_origin_may_not(self) -> None:
        app = app_with(PLAYGROUND_ENABLED="true", PLAYGROUND_ORIGINS=OURS)

        asked = preflight(app, THEIRS)
        got = TestClient(app).get("/playground/features", headers={"Origin": THEIRS})

        assert asked.status_code == 400
        assert "Access-Control-Allow-Origin" not in asked.headers
        assert "Access-Control-Allow-Origin" not in got.headers

    @pytest.mark.parametrize(
        "settings",
        [
            {"PLAYGROUND_ENABLED": "true"},
            {"PLAYGROUND_ENABLED": "false", "PLAYGROUND_ORIGINS": OURS},
        ],
        ids=["no origins", "no playground"],
    )
    def test_without_origins_or_playground_nobody_may(self, settings: dict[str, str]) -> None:
        app = app_with(**settings)

        for path in ("/playground/messages", "/chat"):
            assert "Access-Control-Allow-Origin" not in preflight(app, OURS, path).headers

    def test_a_browser_can_read_a_failure_too(self) -> None:
        app = app_with(PLAYGROUND_ENABLED="true", PLAYGROUND_ORIGINS=OURS)
        body = {"feature": "ReAct", "message": "Hai"}

        response = TestClient(app).post("/playground/messages", json=body, headers={"Origin": OURS})

        assert response.status_code == 503
        assert "OPENAI_API_KEY" in response.json()["detail"]
        assert response.headers["Access-Control-Allow-Origin"] == OURS
