import json
import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.acting import (
    action,
    answer,
    decide,
    expect_answer,
    expect_no_violation,
    expect_place,
    expect_state,
    say,
    submit,
)
from tests.browser.conftest import NewPage
from tests.browser.servers import Service


def test_a_turn_shows_its_steps_its_tool_and_its_answer(open_page: NewPage) -> None:
    page = open_page("ReAct")

    say(page, "cuaca")

    expect_answer(page, "Sunny in Ende")
    expect_place(page, "ReAct")
    call = page.locator(".call")
    expect(call).to_contain_text("get_weather")
    call.locator("summary").click()
    expect(call.locator(".arguments")).to_contain_text("Ende")
    expect(call.locator(".result")).to_contain_text("Sunny in Ende")
    expect(page.locator(".step .node")).to_have_text(["llm_call", "tool_node", "llm_call"])
    expect(page.locator(".node[data-state=visited]")).to_have_count(2)
    expect(page.locator("#threads .thread")).to_contain_text("cuaca")


def test_an_approved_action_runs_once(open_page: NewPage, service: Service) -> None:
    page = open_page("Human-in-the-loop")
    before = len(service.ran())

    say(page, "satu email")
    expect(submit(page)).to_be_disabled()
    decide(page, 1, "Setujui")
    expect(submit(page)).to_be_enabled()
    submit(page).click()

    expect_answer(page, "Sent to alice@example.com")
    assert [run["args"]["to"] for run in service.ran()[before:]] == ["alice@example.com"]


REDS = """
[...document.querySelectorAll(".activity *")]
  .filter((e) => e.checkVisibility())
  .filter((e) => [getComputedStyle(e).color, getComputedStyle(e).borderTopColor].some((colour) => {
    const [red, green, blue] = colour.match(/[0-9.]+/g).map(Number);
    return red > green + 60 && red > blue + 60;
  }))
  .map((e) => e.outerHTML.slice(0, 90))
"""


def test_a_rejected_action_does_not_run(open_page: NewPage, service: Service) -> None:
    page = open_page("Human-in-the-loop")
    before = len(service.ran())

    say(page, "satu email")
    decide(page, 1, "Tolak").get_by_label("Alasan").fill("Salah alamat")
    submit(page).click()

    expect_answer(page, "Salah alamat")
    expect(page.locator(".decided")).to_contain_text("Salah alamat")
    expect_rejected(page)
    assert len(service.ran()) == before

    say(page, "halo")
    expect_answer(page, "Kamu bilang: halo")
    page.reload()

    page.locator(".activity > summary").first.click()
    expect_rejected(page)


def expect_rejected(page: Page) -> None:
    """A person's decision is no failure, and has no colour of one."""
    expect(page.locator(".call")).to_have_attribute("data-state", "rejected")
    expect(page.locator(".call .state")).to_have_text("ditolak")
    assert page.evaluate(REDS) == []


def test_three_actions_get_three_decisions_in_their_order(
    open_page: NewPage, service: Service
) -> None:
    page = open_page("Human-in-the-loop")
    before = len(service.ran())
    say(page, "tiga email")

    decide(page, 3, "Setujui")
    expect(submit(page)).to_be_disabled()
    decide(page, 1, "Tolak").get_by_label("Alasan").fill("Salah alamat")
    expect(submit(page)).to_be_disabled()
    decide(page, 2, "Ubah").get_by_label("to", exact=True).fill("baru@x.co")
    expect(submit(page)).to_be_enabled()
    expect(page.locator(".progress")).to_have_text("3 dari 3 diputuskan")
    with page.expect_request("**/playground/resume/stream") as sent:
        submit(page).click()

    expect_state(page, "done")
    request = sent.value
    body = json.loads(request.post_data or "")
    assert [decision["type"] for decision in body["value"]["decisions"]] == [
        "reject",
        "edit",
        "approve",
    ]
    assert body["value"]["decisions"][0]["message"] == "Salah alamat"
    assert body["review_id"]
    assert request.headers["idempotency-key"]
    # Approved at once, they run at once.
    assert sorted(run["args"]["to"] for run in service.ran()[before:]) == ["baru@x.co", "c@x.co"]
    expect(page.locator(".decided li")).to_have_count(3)


def test_a_review_may_follow_a_review(open_page: NewPage, service: Service) -> None:
    page = open_page("Human-in-the-loop")
    before = len(service.ran())
    say(page, "dua putaran")

    for address in ("first@x.co", "second@x.co"):
        expect(action(page).locator(".arguments").first).to_contain_text(address)
        decide(page, 1, "Setujui")
        submit(page).click()

    expect_answer(page, "Sent to second@x.co")
    assert len(service.ran()) == before + 2


def test_a_pause_inside_a_subagent_reaches_the_page(open_page: NewPage, service: Service) -> None:
    page = open_page("Subagents")
    before = len(service.ran())

    say(page, "tugas")
    expect(action(page).locator(".arguments").first).to_contain_text("alice@example.com")
    inner = page.locator(".steps.inner").first
    expect(inner.locator("> .step > .node").first).to_have_text("llm_call")
    decide(page, 1, "Setujui")
    submit(page).click()

    expect_state(page, "done")
    assert len(service.ran()) == before + 1
    cards = page.locator(".activity > .steps > .call-step > .call > .steps.inner")
    expect(cards.nth(0)).to_contain_text("send_email")
    expect(cards.nth(1)).to_contain_text("get_weather")


def test_calls_to_one_subagent_at_once_have_a_card_each(
    open_page: NewPage, service: Service
) -> None:
    page = open_page("Subagents")
    before = len(service.ran())
    cards = page.locator(".activity > .steps > .call-step > .call")

    say(page, "dua kantor")
    expect(action(page, 2).locator(".arguments").first).to_contain_text("budi@x.co")
    page.get_by_role("button", name="Setujui sisanya").click()
    submit(page).click()

    expect_state(page, "done")
    expect(cards).to_have_count(2)
    for card, name in ((cards.nth(0), "ani"), (cards.nth(1), "budi")):
        inner = card.locator("> .steps.inner")
        expect(inner.locator("> .call-step")).to_have_count(1)
        expect(inner.locator("> .step > .node")).to_have_text(
            ["llm_call", "human_review", "tool_node", "llm_call"]
        )
        expect(inner.locator(".call .args")).to_contain_text(f"{name}@x.co")
        expect(inner.locator(".call > .result")).to_contain_text(f"Sent to {name}@x.co")
        expect(card.locator("> .result")).to_contain_text(f"Sent to {name}@x.co")
    sent = {run["args"]["to"] for run in service.ran()[before:]}
    assert sent == {"ani@x.co", "budi@x.co"}


def test_subagents_of_two_subagents_stay_apart(open_page: NewPage) -> None:
    """Their models give the same ids to their calls."""
    page = open_page("Subagents")

    say(page, "dua cabang")

    expect_state(page, "done")
    cards = page.locator(".activity > .steps > .call-step > .call")
    for number, place in enumerate(("Ende", "Sabang")):
        desks = cards.nth(number).locator("> .steps.inner > .call-step > .call")
        expect(desks).to_have_count(1)
        calls = desks.locator("> .steps.inner > .call-step > .call")
        expect(calls.locator(".args")).to_have_text([f'location: "{place}"'])
        expect(calls.locator("> .result")).to_contain_text([f"Sunny in {place}"])


def test_buttons_are_off_while_decisions_are_on_their_way(open_page: NewPage) -> None:
    page = open_page("Human-in-the-loop")
    say(page, "satu email")
    decide(page, 1, "Setujui")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/resume/stream", hold)

    submit(page).click()

    expect(submit(page)).to_be_disabled()
    expect(action(page).get_by_role("radio", name="Tolak")).to_be_disabled()
    page.keyboard.press("Control+Enter")
    assert len(held) == 1
    held[0].continue_()
    expect_state(page, "done")


def test_an_answer_is_laid_out_as_its_markdown_says(open_page: NewPage) -> None:
    page = open_page("ReAct")
    say(page, "tulisan")
    expect_state(page, "done")

    shown = answer(page)
    expect(shown.get_by_role("heading", name="Rencana")).to_be_visible()
    expect(shown.locator("strong")).to_have_text("singkat")
    expect(shown.locator("div > code")).to_have_text("get_weather")
    numbers = shown.locator("ol li").evaluate_all("items => items.map((item) => item.value)")
    assert numbers == [1, 7]
    expect(shown.locator("ul li")).to_have_text(
        "dalam, [klik](javascript:alert(1)) dan <b>tebal</b>"
    )
    expect(shown.locator("ul li")).to_have_attribute("data-depth", "1")
    assert shown.locator("pre").text_content() == "**bukan** # tebal\n    baris dua"
    expect(shown.locator("> :last-child")).to_have_text("2 ** 3 = 8")
    expect(shown.locator("a, b")).to_have_count(0)
    expect_no_violation(page, "markdown")


def test_examples_start_a_conversation(open_page: NewPage) -> None:
    page = open_page("ReAct")

    page.get_by_role("button", name="Bagaimana cuaca di Jakarta?").click()

    expect_answer(page, "Kamu bilang: Bagaimana cuaca di Jakarta?")


def test_examples_follow_the_language(open_page: NewPage) -> None:
    page = open_page("ReAct")

    page.get_by_text("EN", exact=True).click()
    page.get_by_role("button", name="What is the weather in Jakarta?").click()

    expect_answer(page, "Kamu bilang: What is the weather in Jakarta?")


def test_the_same_request_can_be_made_on_a_terminal(open_page: NewPage) -> None:
    page = open_page("ReAct")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    say(page, 'it\'s "quoted"\n')
    expect_state(page, "done")

    page.locator(".turn-foot").get_by_role("button", name="Salin sebagai curl").click()

    copied = page.evaluate("navigator.clipboard.readText()")
    assert "/chat' -H 'Content-Type: application/json' -d '" in copied
    assert "it'\\''s" in copied


def test_the_page_speaks_two_languages(open_page: NewPage) -> None:
    page = open_page("Human-in-the-loop", locale="en-US")
    expect(page.get_by_role("heading", name="Try Human-in-the-loop")).to_be_visible()
    expect(page.locator("#feature-description")).to_contain_text("An e-mail leaves only after")

    page.get_by_role("button", name="ID", exact=True).click()

    expect(page.get_by_role("heading", name="Coba Human-in-the-loop")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "id")
    page.reload()
    expect(page.get_by_role("heading", name="Coba Human-in-the-loop")).to_be_visible()


def test_what_waits_is_said_in_the_language_of_the_page(open_page: NewPage) -> None:
    page = open_page("Human-in-the-loop")
    say(page, "satu email")
    about = action(page).locator(".action-head p")
    expect(about).to_have_text("Tool send_email menunggu persetujuan")

    page.get_by_role("button", name="EN", exact=True).click()

    expect(about).to_have_text("Tool send_email waits for approval")


def test_a_description_of_ones_own_is_shown_as_it_is(open_page: NewPage) -> None:
    page = open_page("Human-in-the-loop")

    def describe(route: Route) -> None:
        answer = route.fetch()
        standard = "Tool `send_email` menunggu persetujuan"
        route.fulfill(response=answer, body=answer.text().replace(standard, "Kirim `surat`?"))

    page.route("**/messages/stream", describe)
    say(page, "satu email")

    expect(action(page).locator(".action-head p")).to_have_text("Kirim surat?")


def test_a_time_too_short_to_see_is_not_none(open_page: NewPage) -> None:
    page = open_page("ReAct")
    say(page, "halo")
    expect_state(page, "done")

    expect(page.locator(".turn-foot")).to_contain_text(re.compile(r"[1-9]\d* (ms|s)"))


def test_a_conversation_is_erased_on_the_server_too(
    open_page: NewPage, forgiven: list[str]
) -> None:
    page = open_page("ReAct")
    say(page, "cuaca")
    expect_state(page, "done")
    address = page.url

    page.get_by_role("button", name="Hapus percakapan cuaca").click()
    page.get_by_role("button", name="Hapus", exact=True).click()

    expect(page.locator("#threads")).to_contain_text("Belum ada percakapan")
    expect(page.locator(".turn")).to_have_count(0)
    forgiven.append("404")
    page.goto(address)
    expect(page.get_by_text("Belum ada percakapan dengan id ini")).to_be_visible()


@pytest.mark.parametrize("feature", ["ReAct", "Human-in-the-loop", "Subagents"])
def test_earlier_conversations_are_on_the_left(open_page: NewPage, feature: str) -> None:
    page = open_page(feature)
    say(page, "halo satu")
    expect_answer(page, "Kamu bilang: halo satu")
    page.get_by_role("link", name="Baru").click()
    expect(page.locator(".turn")).to_have_count(0)
    say(page, "halo dua")
    expect_answer(page, "Kamu bilang: halo dua")

    page.get_by_role("link", name="halo satu").click()

    expect(answer(page)).to_have_text("Kamu bilang: halo satu")
