"""Text that wants to be something else."""

import json
from urllib.parse import quote

from playwright.sync_api import Page, expect

from tests.browser.acting import action, decide, expect_answer, expect_state, say, submit
from tests.browser.conftest import NewPage
from tests.browser.scenes import LONG, MARKUP


def expect_harmless(page: Page) -> None:
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.querySelectorAll('#turns script, #turns img').length") == 0


def test_results_and_answers_are_shown_as_text(open_page: NewPage) -> None:
    page = open_page("ReAct")

    say(page, "jahat")

    expect_answer(page, MARKUP)
    result = page.locator(".call .result")
    page.locator(".call summary").first.click()
    for badge in ("U+202E RLO", "U+200B ZWSP", "U+0007 BEL", "U+001B ESC", "U+00A0 NBSP"):
        expect(result.get_by_text(badge).first).to_be_visible()
    expect(page.locator(".answer").get_by_text("U+202E RLO").first).to_be_visible()
    expect_harmless(page)


def test_names_are_shown_as_text(open_page: NewPage) -> None:
    page = open_page("ReAct")

    say(page, "nama jahat")

    expect_state(page, "done")
    call = page.locator(".call")
    # The service itself lets no such name of a tool through.
    expect(call.locator(".tool")).to_contain_text(["script_window_hacked", "echo"])
    expect(call.locator(".state")).to_have_text(["gagal", "gagal"])
    for summary in call.locator("summary").all():
        summary.click()
    expect(call.first.locator(".result")).to_contain_text(f'"{MARKUP}" is not a valid tool')
    expect(call.last.locator(".arguments dt")).to_have_text(MARKUP)
    expect_harmless(page)


def test_what_a_person_types_is_shown_as_text(open_page: NewPage) -> None:
    page = open_page("Human-in-the-loop")
    say(page, "tiga email")
    decide(page, 1, "Ubah").get_by_label("subject").fill(MARKUP)
    expect(action(page, 1).locator(".diff ins")).to_contain_text("<script>")
    decide(page, 2, "Tolak").get_by_label("Alasan").fill(MARKUP)
    decide(page, 3, "Ubah").get_by_role("button", name="JSON").click()
    field = page.get_by_label("Argumen sebagai JSON")
    field.fill(json.dumps({MARKUP: MARKUP, "to": 1, "subject": "", "body": ""}))
    expect(action(page, 3).locator(".fault")).to_have_text("to: Harus berupa teks")
    field.fill(json.dumps({MARKUP: MARKUP, "to": "", "subject": "", "body": ""}))

    submit(page).click()

    expect_state(page, "done")
    expect(page.locator(".decided")).to_contain_text(MARKUP)
    expect_harmless(page)


def test_a_message_is_shown_as_text(open_page: NewPage) -> None:
    page = open_page("ReAct")

    say(page, MARKUP)

    expect(page.locator(".message")).to_contain_text(MARKUP)
    expect_answer(page, f"Kamu bilang: {MARKUP}")
    expect(page.locator("#threads")).to_contain_text("<script>")
    expect_harmless(page)


def test_long_results_show_both_ends_and_what_is_missing(open_page: NewPage) -> None:
    page = open_page("ReAct")
    say(page, "panjang")
    expect_state(page, "done")
    page.locator(".call summary").first.click()
    result = page.locator(".call .result")

    expect(result).to_contain_text("begin xxx")
    expect(result).to_contain_text("the-end")
    expect(result.locator(".gap")).to_contain_text("karakter tidak ditampilkan")
    expect(result).to_contain_text(f"{len(LONG):,}".replace(",", ".") + " karakter")
    result.get_by_role("button", name="Tampilkan semua").click()

    text = result.locator(".text-content").text_content() or ""
    assert text == LONG


def test_nobody_approves_what_they_did_not_see(open_page: NewPage) -> None:
    page = open_page("Human-in-the-loop")
    say(page, "email jahat")

    first = action(page, 1)
    warning = first.locator(".warning")
    expect(warning).to_contain_text("membalik urutan teks")
    expect(warning).to_contain_text("karakter yang tidak terlihat")
    expect(warning).to_contain_text("karakter kendali")
    expect(warning).to_contain_text("mirip huruf Latin")
    values = first.locator(".arguments dd")
    expect(values.nth(0)).to_contain_text("U+0430")
    expect(values.nth(1)).to_contain_text("U+202E RLO")
    expect(values.nth(2)).to_contain_text(MARKUP)
    expect(action(page, 2)).to_contain_text("the-end")
    expect_harmless(page)


def test_a_space_at_the_end_is_seen_but_no_alarm(open_page: NewPage) -> None:
    page = open_page("Human-in-the-loop")
    say(page, "spasi")

    expect(action(page).get_by_text("U+0020 SPACE")).to_be_visible()
    expect(action(page).locator(".warning")).to_have_count(0)


def test_a_thread_id_is_only_an_id(open_page: NewPage, forgiven: list[str]) -> None:
    forgiven.extend(["404", "422"])
    page = open_page("ReAct")

    shown = {
        MARKUP: "<script>window",
        "a/../b?c#d%20e": "a/../b?c#d%20e",
        "..": "..",
        "x\u202ey": "xU+202E RLOy",
        "y" * 5000: "y" * 80 + "…",
    }
    for thread, text in shown.items():
        page.evaluate("hash => location.hash = hash", f"#/ReAct/{quote(thread, safe='')}")
        expect(page.locator("#facts code").first).to_contain_text(text)
        expect(page.locator(".notice")).to_be_visible()

    expect_harmless(page)


def test_an_unusual_thread_id_works(open_page: NewPage, forgiven: list[str]) -> None:
    forgiven.append("404")
    thread = "<b>a/b?c</b>"
    page = open_page(f"ReAct/{quote(thread, safe='')}")
    expect(page.get_by_text("Pesan pertama memulainya")).to_be_visible()
    say(page, "halo")
    expect_answer(page, "Kamu bilang: halo")

    page.reload()

    expect_answer(page, "Kamu bilang: halo")
    expect(page.locator("#facts")).to_contain_text(thread)
