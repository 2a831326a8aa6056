"""The page as files: where it is, what comes with it, and what it must never do."""

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from src.domain import exceptions
from src.infrastructure.settings import Settings
from src.interface.http.main import create_app
from src.interface.playground.features import FEATURES
from src.interface.playground.page_router import PAGE, page_files

FILES = sorted(page_files())
MODULES = [name for name in FILES if name.endswith(".js")]
TEXTS = {
    language: (PAGE / f"app/texts/{language}.js").read_text("utf-8") for language in ("id", "en")
}


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("PLAYGROUND_ENABLED", "yes")
    return TestClient(create_app(Settings()))


def source_of(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


def test_the_page_is_there_when_it_is_wanted(client: TestClient) -> None:
    response = client.get("/playground")

    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert client.head("/playground").status_code == 200


def test_it_is_not_there_when_it_is_off() -> None:
    client = TestClient(create_app(Settings()))

    for path in ("/playground", "/playground/page/app/main.js", "/playground/page/index.html"):
        response = client.get(path)
        assert (response.status_code, response.json()) == (404, {"detail": "Not Found"})


@pytest.mark.parametrize("path", ["/playground", "/playground/page/app/main.js"])
def test_the_browser_is_held_to_a_strict_policy(client: TestClient, path: str) -> None:
    headers = client.get(path).headers

    policy = headers["Content-Security-Policy"].split("; ")
    assert policy[:8] == [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_served_with_its_type(client: TestClient, name: str) -> None:
    response = client.get(f"/playground/page/{name}")

    types = {
        "css": "text/css",
        "html": "text/html",
        "js": "text/javascript",
        "svg": "image/svg+xml",
    }
    assert response.status_code == 200
    assert response.headers["Content-Type"].split(";")[0] == types[name.rpartition(".")[2]]
    assert response.content == (PAGE / name).read_bytes()


def test_a_browser_that_has_a_file_is_told_so(client: TestClient) -> None:
    first = client.get("/playground")
    tag = first.headers["ETag"]

    again = client.get("/playground", headers={"If-None-Match": f'"other", W/{tag}'})
    changed = client.get("/playground", headers={"If-None-Match": '"other"'})

    assert first.headers["Cache-Control"] == "no-cache"
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    assert changed.status_code == 200


@pytest.mark.parametrize(
    "name",
    [
        "nothing.js",
        "",
        "app",
        "../page_router.py",
        "..%2fpage_router.py",
        "%2e%2e/page_router.py",
        "app/../../features.py",
        "/etc/hosts",
    ],
)
def test_nothing_else_is_served(client: TestClient, name: str) -> None:
    assert client.get(f"/playground/page/{name}").status_code == 404


@pytest.mark.parametrize("name", MODULES)
def test_no_text_can_become_markup_or_code(name: str) -> None:
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment"
        r"|DOMParser|setHTMLUnsafe|srcdoc|\beval\b|new Function|javascript:|setAttribute\(\"on"
    )

    assert re.findall(forbidden, source_of(name)) == []


@pytest.mark.parametrize("name", FILES)
def test_nothing_comes_from_elsewhere(name: str) -> None:
    source = source_of(name).replace("http://www.w3.org/2000/svg", "")

    assert re.findall(r"https?:|(?<![:\w])//\w", re.sub(r"(?m)^\s*//.*$", "", source)) == []
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=\"", source)


@pytest.mark.parametrize("name", MODULES)
def test_modules_stay_small(name: str) -> None:
    if name.startswith("app/texts/"):
        return
    assert len(source_of(name).splitlines()) <= 250


def keys(language: str) -> set[str]:
    return set(re.findall(r'^\s*"([^"]+)":', TEXTS[language], re.MULTILINE))


def test_both_languages_have_every_text() -> None:
    english = {k for k in keys("en") if not k.startswith("service:") and not k.endswith(".one")}

    assert keys("id") == english


def test_every_text_that_is_asked_for_exists() -> None:
    sources = [source_of(name) for name in FILES if not name.startswith("app/texts/")]
    asked = {
        key
        for source in sources
        for key in re.findall(r'(?:\bt:|tLabel:|\bt\(|data-t(?:-\w+)?=|say\()\s*"([\w.]+)"', source)
    }

    assert len(asked) > 60
    assert asked - keys("id") == set()


@pytest.mark.parametrize("text", [feature.description for feature in FEATURES])
def test_descriptions_are_known_in_english(text: str) -> None:
    assert f'"service:{text}"' in TEXTS["en"]


@pytest.mark.parametrize(
    "error",
    [
        exceptions.NoPendingReviewError(),
        exceptions.ReviewPendingError(),
        exceptions.StaleReviewError(),
        exceptions.ReviewAlreadyDecidedError(),
    ],
    ids=repr,
)
def test_refusals_are_known_in_english(error: Exception) -> None:
    assert f'"service:{error}"' in TEXTS["en"]


def test_every_module_is_part_of_the_page() -> None:
    seen: set[str] = set()
    waiting = ["app/main.js"]
    while waiting:
        name = waiting.pop()
        seen.add(name)
        for target in re.findall(r'from "(\.[^"]+)"', source_of(name)):
            path = (PAGE / name).parent / target
            found = Path(path).resolve().relative_to(PAGE.resolve()).as_posix()
            if found not in seen:
                waiting.append(found)

    assert sorted(seen) == MODULES
