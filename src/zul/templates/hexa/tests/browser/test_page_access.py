"""Without a mouse, without eyes, on a phone."""

import pytest
from playwright.sync_api import expect

from src.interface.playground.features import FEATURES
from tests.browser.acting import (
    action,
    decide,
    expect_answer,
    expect_no_violation,
    expect_state,
    say,
    submit,
)
from tests.browser.conftest import NewPage

PHONE = {"width": 360, "height": 740}

OUTSIDE = """
[...document.querySelectorAll("#main *")]
  .filter((e) => !e.closest(".visually-hidden, .args, .heading"))
  .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
  .map((e) => e.outerHTML.slice(0, 90))
"""

OVERFLOWING = """
[...document.querySelectorAll(".action, .action-head, #inspector, #facts")]
  .filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1)
  .map((e) => e.outerHTML.slice(0, 90))
"""

LETTERS = """
parseFloat(getComputedStyle(document.querySelector(".node text")).fontSize)
  * document.querySelector("#graph svg").getBoundingClientRect().width
  / document.querySelector("#graph svg").viewBox.baseVal.width
"""

RING = """
(() => {
  const card = document.querySelector(".review");
  const style = getComputedStyle(card);
  const channels = (colour) => colour.match(/[0-9.]+/g).slice(0, 3).map((value) => value / 255);
  const linear = (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const light = (colour) => {
    const [red, green, blue] = channels(colour).map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const around = getComputedStyle(document.querySelector(".main")).backgroundColor;
  const [high, low] = [light(style.outlineColor), light(around)].sort((a, b) => b - a);
  const width = style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth);
  const reach = width + parseFloat(style.outlineOffset);
  const box = card.getBoundingClientRect();
  return {
    width,
    contrast: (high + 0.05) / (low + 0.05),
    left: box.left - reach,
    right: box.right + reach,
    title: getComputedStyle(document.querySelector("#review-title")).outlineStyle,
  };
})()
"""

CUT = """
(() => {
  const e = document.querySelector("#feature-description");
  return e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1;
})()
"""

PAINTED = """
(pressed) => [...new Set([...document.querySelectorAll(`.switch [aria-pressed=${pressed}]`)]
  .filter((e) => e.checkVisibility())
  .map((e) => getComputedStyle(e))
  .map((style) => `${style.forcedColorAdjust} ${style.backgroundColor} ${style.color}`))]
"""

SMALL = """
[...document.querySelectorAll("button:not(.skip), a, summary, .choice, textarea, select")]
  .filter((e) => e.checkVisibility())
  .map((e) => [e.getBoundingClientRect(), e.outerHTML.slice(0, 90)])
  .filter(([box]) => box.width < 24 || box.height < 24)
  .map(([box, html]) => `${box.width} x ${box.height}: ${html}`)
"""


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_axe_finds_nothing(open_page: NewPage, color_scheme: str) -> None:
    page = open_page("Human-in-the-loop", color_scheme=color_scheme)
    expect(page.locator(".empty-state")).to_be_visible()
    expect_no_violation(page, "empty")
    say(page, "lambat")
    expect_state(page, "running")
    expect_no_violation(page, "running")
    expect_state(page, "done")
    say(page, "email jahat")
    expect(action(page)).to_be_visible()
    expect_no_violation(page, "review")
    decide(page, 1, "Ubah").get_by_role("button", name="JSON").click()
    page.get_by_label("Argumen sebagai JSON").fill("[")
    decide(page, 2, "Tolak")
    expect_no_violation(page, "edit")
    decide(page, 1, "Tolak")
    submit(page).click()
    expect_state(page, "done")
    page.locator(".call summary").first.click()
    expect_no_violation(page, "done")
    page.locator("#open-help").click()
    expect_no_violation(page, "help")


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_axe_finds_nothing_on_a_phone(open_page: NewPage, color_scheme: str) -> None:
    page = open_page("ReAct", color_scheme=color_scheme, viewport=PHONE)
    say(page, "gagal")
    expect(page.locator(".notice")).to_be_visible()
    expect_no_violation(page, "failure")
    page.locator("#open-sidebar").click()
    expect_no_violation(page, "drawer")


def test_everything_can_be_done_by_keyboard(open_page: NewPage) -> None:
    page = open_page("Human-in-the-loop")
    expect(page.locator(".chip").first).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Lompat ke percakapan")).to_be_focused()
    page.keyboard.press("Alt+N")
    expect(page.get_by_label("Pesan", exact=True)).to_be_focused()

    page.keyboard.type("tiga email")
    page.keyboard.press("Enter")
    expect(page.locator("#review-title")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("a")
    expect(action(page, 1).get_by_role("radio", name="Setujui")).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("e")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(action(page, 2).get_by_label("to", exact=True)).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("era@x.co")
    expect(action(page, 2).get_by_label("to", exact=True)).to_have_value("era@x.co")
    action(page, 3).get_by_role("radio", name="Setujui").focus()
    page.keyboard.press("r")
    page.keyboard.press("Control+Enter")

    expect_answer(page, "era@x.co")
    expect(page.get_by_label("Pesan", exact=True)).to_be_focused()


def test_a_decision_that_is_missing_is_asked_for(open_page: NewPage) -> None:
    page = open_page("Human-in-the-loop")
    say(page, "tiga email")
    action(page, 1).get_by_role("radio", name="Setujui").focus()
    page.keyboard.press("a")

    page.keyboard.press("Control+Enter")

    expect(action(page, 2).get_by_role("radio", name="Setujui")).to_be_focused()
    expect(page.locator("#status")).to_have_text(
        "Aksi ini belum diputuskan. Belum ada yang dikirim."
    )
    expect(action(page, 2).get_by_role("radio", name="Setujui")).not_to_be_checked()
    expect_state(page, "pending")


def test_a_conversation_can_be_erased_by_keyboard(open_page: NewPage) -> None:
    page = open_page("ReAct")
    say(page, "halo")
    expect_state(page, "done")
    erase = page.get_by_role("button", name="Hapus percakapan halo")

    erase.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Batal")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Hapus", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(erase).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")

    expect(page.get_by_role("link", name="halo")).to_have_count(0)
    expect(page.get_by_label("Pesan", exact=True)).to_be_focused()


@pytest.mark.parametrize("width", [360, 1200])
def test_what_a_feature_is_can_be_read_whole(open_page: NewPage, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 740})

    for feature in FEATURES:
        page.evaluate("name => location.hash = `#/${name}`", feature.name)
        expect(page.locator("#feature-name")).to_have_text(feature.name)
        expect(page.locator("#feature-description")).to_have_text(
            feature.description.replace("`", "")
        )
        assert page.evaluate(CUT) is False


def test_a_conversation_on_a_small_phone_has_most_of_the_screen(open_page: NewPage) -> None:
    page = open_page("Subagents", viewport={"width": 320, "height": 640})

    say(page, "halo")
    expect_state(page, "done")

    assert page.evaluate("document.querySelector('.main-head').offsetHeight") <= 80


def test_what_is_switched_on_is_seen_without_colours(open_page: NewPage) -> None:
    page = open_page("Human-in-the-loop", forced_colors="active")
    say(page, "satu email")
    decide(page, 1, "Ubah")

    [pressed], [other] = (page.evaluate(PAINTED, value) for value in ("true", "false"))

    # Where the browser paints everything in its own colours, only this keeps one of ours.
    assert pressed.startswith("none ")
    assert other.startswith("auto ")
    assert pressed.removeprefix("none") != other.removeprefix("auto")


@pytest.mark.parametrize("viewport", [PHONE, {"width": 1440, "height": 900}], ids=["phone", "desk"])
@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_the_focus_on_a_review_is_seen_around_its_card(
    open_page: NewPage, color_scheme: str, viewport: dict[str, int]
) -> None:
    page = open_page("Human-in-the-loop", color_scheme=color_scheme, viewport=viewport)

    say(page, "satu email")
    expect(page.locator("#review-title")).to_be_focused()

    ring = page.evaluate(RING)
    assert ring["title"] == "none"
    assert ring["width"] >= 2
    assert ring["contrast"] >= 3
    assert ring["left"] >= 0
    assert ring["right"] <= viewport["width"]


def test_what_happens_is_announced_but_not_every_token(open_page: NewPage) -> None:
    page = open_page("ReAct")
    page.evaluate(
        "window.said = []; new MutationObserver(() => said.push(document.querySelector('#status')"
        ".textContent)).observe(document.querySelector('#status'), {childList: true})"
    )

    say(page, "cuaca")
    expect_state(page, "done")
    expect(page.locator("#status")).to_contain_text("Jawaban: Hasil")

    assert len(page.evaluate("window.said")) == 2


def test_a_phone_has_room_for_everything(open_page: NewPage) -> None:
    page = open_page("Human-in-the-loop", viewport=PHONE)

    say(page, "email jahat")
    expect(action(page, 2)).to_be_visible()

    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate(OUTSIDE) == []
    expect(page.locator("#sidebar")).to_be_hidden()
    page.locator("#open-inspector").click()
    expect(page.locator("#graph svg")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#inspector")).to_be_hidden()
    expect(page.locator("#open-inspector")).to_be_focused()
    decide(page, 1, "Tolak")
    decide(page, 2, "Tolak")
    submit(page).click()
    expect_state(page, "done")


@pytest.mark.parametrize("width", [320, 1200])
def test_the_longest_name_is_seen_whole(open_page: NewPage, width: int) -> None:
    page = open_page("Human-in-the-loop", viewport={"width": width, "height": 800})

    say(page, "nama panjang")
    expect(action(page).locator("h3")).to_have_text("x" * 128)
    decide(page, 1, "Ubah")

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(OVERFLOWING) == []


def test_targets_are_large_enough(open_page: NewPage) -> None:
    page = open_page("Human-in-the-loop")
    say(page, "satu email")
    decide(page, 1, "Ubah")

    assert page.evaluate(SMALL) == []


def test_a_large_graph_stays_readable(open_page: NewPage) -> None:
    page = open_page("ReAct")
    names = ["__start__", "plan", "search_documents", "search_the_web", "ask_an_expert", "__end__"]
    edges = [
        ("__start__", "plan"),
        *[("plan", n) for n in names[2:5]],
        *[(n, "__end__") for n in names[2:5]],
    ]
    graph = {
        "nodes": names,
        "edges": [{"source": s, "target": t, "conditional": False} for s, t in edges],
    }
    page.route("**/playground/graph**", lambda route: route.fulfill(json=graph))

    page.get_by_role("link", name="Human-in-the-loop").click()

    expect(page.locator("#graph .node")).to_have_count(4)
    assert page.evaluate(LETTERS) > 9
    expect_no_violation(page, "graph")
