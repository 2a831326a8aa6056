from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.chromium import FLAGS, find_chromium, missing_chromium, missing_packages
from tests.browser.servers import Service, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

collect_ignore_glob = ["test_page_*.py"] if missing_packages() or missing_chromium() else []

TIMEOUT_MS = 20_000

NewPage = Any
"""Opens a page: ``new_page(width=…, height=…, locale=…, color_scheme=…, context=…)``."""


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("service")) as service:
        yield service


# For the package, not for the session: while playwright runs, no other test could start a loop.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import expect, sync_playwright  # noqa: PLC0415  # optional

    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        yield browser
        browser.close()


class Pages:
    """Opens pages and keeps what their consoles complain about."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self.complaints: list[str] = []
        self.requests: list[str] = []

    def context(self, **options: Any) -> BrowserContext:
        defaults = {"locale": "id-ID", "viewport": {"width": 1280, "height": 900}}
        context = self._browser.new_context(**{**defaults, **options})
        context.set_default_timeout(TIMEOUT_MS)
        self._contexts.append(context)
        return context

    def open(self, url: str, context: BrowserContext | None = None, **options: Any) -> Page:
        page = (context or self.context(**options)).new_page()
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.complaints.append(f"page error: {error.stack}"))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(url)
        page.locator("#main[aria-busy=false]").wait_for()
        return page

    def _listen(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{message.type}: {message.text}")

    def close(self) -> None:
        for context in self._contexts:
            context.close()


@pytest.fixture
def pages(browser: Browser) -> Iterator[Pages]:
    pages = Pages(browser)
    yield pages
    pages.close()


@pytest.fixture
def forgiven() -> list[str]:
    """Parts of complaints that a test brings about on purpose, such as a refused request."""
    return []


@pytest.fixture
def open_page(pages: Pages, service: Service, forgiven: list[str]) -> Iterator[Callable[..., Page]]:
    """Open ``#/feature/thread``; at the end no console may have complained."""

    def open_page(place: str = "ReAct", **options: Any) -> Page:
        return pages.open(f"{service.page}#/{place}", **options)

    yield open_page
    unexpected = [c for c in pages.complaints if not any(part in c for part in forgiven)]
    assert unexpected == []
    assert [url for url in pages.requests if not url.startswith((service.url, "data:"))] == []
