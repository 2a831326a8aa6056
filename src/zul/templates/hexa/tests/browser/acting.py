"""What a person does on the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from uuid import uuid4

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


def say(page: Page, message: str) -> None:
    field = page.get_by_label("Pesan", exact=True)
    field.fill(message)
    field.press("Enter")


def new_thread() -> str:
    return uuid4().hex


def thread_of(page: Page) -> str:
    return str(page.url).rpartition("/")[2]


def action(page: Page, number: int = 1) -> Locator:
    return page.locator(".action").nth(number - 1)


def decide(page: Page, number: int, decision: str) -> Locator:
    card = action(page, number)
    card.get_by_role("radio", name=decision).check()
    return card


def submit(page: Page) -> Locator:
    return page.locator(".review button[type=submit]")


def answer(page: Page) -> Locator:
    return page.locator(".turn").last.locator(".answer-text")


def expect_state(page: Page, state: str) -> None:
    expect(page.locator(".turn").last).to_have_attribute("data-state", state)


def expect_answer(page: Page, text: str) -> None:
    expect_state(page, "done")
    expect(answer(page)).to_contain_text(text)


def expect_place(page: Page, feature: str) -> None:
    expect(page).to_have_url(re.compile(rf"#/{feature}/[0-9a-f]{{32}}$"))


def expect_no_violation(page: Page, where: str) -> None:
    found = Axe().run(page).response["violations"]
    faults = [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in found]
    assert faults == [], where
