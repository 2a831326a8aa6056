import time

from playwright.sync_api import expect

from tests.browser.acting import expect_answer, expect_state, say
from tests.browser.conftest import NewPage
from tests.browser.servers import LLM_TIMEOUT_SECONDS


def test_a_failing_tool_is_told_with_code_and_request_id(open_page: NewPage) -> None:
    page = open_page("ReAct")

    say(page, "gagal")

    card = page.locator(".notice")
    expect(card).to_contain_text("Tool gagal dijalankan")
    expect(card).to_contain_text("tool_failed")
    expect(card).to_contain_text("ID permintaan")
    expect(card).to_be_focused()
    expect(page.locator("body")).not_to_contain_text("sk-secret")
    say(page, "halo")
    expect_answer(page, "Kamu bilang: halo")


def test_a_stalled_model_ends_in_an_error_in_time(open_page: NewPage) -> None:
    page = open_page("ReAct")

    started = time.monotonic()
    say(page, "macet")
    expect(page.locator(".notice")).to_contain_text("Model bahasa terlalu lama menjawab")

    assert time.monotonic() - started < LLM_TIMEOUT_SECONDS + 15
    expect(page.locator(".notice")).to_contain_text("llm_timeout")
    page.get_by_role("button", name="Coba lagi").click()
    expect_state(page, "running")
    expect_state(page, "failed")
    expect(page.locator(".message")).to_have_count(1)


def test_an_unknown_feature_leads_to_the_first(open_page: NewPage) -> None:
    page = open_page("Nothing%20of%20the%20kind/some-thread")

    expect(page.get_by_role("heading", name="ReAct", exact=True)).to_be_visible()
    expect(page.locator(".empty-state")).to_be_visible()
