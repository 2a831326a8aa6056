"""A conversation that is left, lost, shared or restarted."""

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.acting import (
    action,
    answer,
    decide,
    expect_answer,
    expect_state,
    say,
    submit,
)
from tests.browser.conftest import NewPage, Pages
from tests.browser.scenes import SLOW_ANSWER
from tests.browser.servers import Service, serving


def test_a_reload_while_an_action_waits_loses_nothing(open_page: NewPage) -> None:
    page = open_page("Subagents")
    say(page, "tugas")
    expect(action(page)).to_be_visible()

    page.reload()

    expect(action(page).locator(".arguments").first).to_contain_text("alice@example.com")
    expect(page.locator(".steps.inner").first).to_contain_text("human_review")
    decide(page, 1, "Setujui")
    submit(page).click()
    expect_state(page, "done")


def test_a_reload_in_mid_stream_goes_on_reading(open_page: NewPage) -> None:
    page = open_page("ReAct")
    say(page, "lambat")
    expect(answer(page)).to_contain_text("kata3")

    page.reload()

    expect(answer(page)).to_contain_text("kata1 kata2")
    expect_state(page, "running")
    expect_answer(page, "kata24")
    expect(answer(page)).to_have_text(SLOW_ANSWER)


def test_a_deep_link_shows_a_run_that_somebody_else_started(open_page: NewPage) -> None:
    mine = open_page("ReAct")
    say(mine, "lambat")
    expect(answer(mine)).to_contain_text("kata2")

    theirs = open_page(mine.url.partition("#/")[2])

    expect(answer(theirs)).to_contain_text("kata3")
    expect_answer(theirs, "kata24")
    expect(theirs.locator(".turn")).to_have_count(1)


def test_a_lost_connection_is_taken_up_again(
    open_page: NewPage, pages: Pages, forgiven: list[str]
) -> None:
    page = open_page("ReAct")
    forgiven.append("ERR_")
    # Responses of a route cannot be cut in the middle; the second half is kept away instead.
    page.route(
        "**/messages/stream",
        lambda route: route.fulfill(
            body='id: 1\nevent: run_started\ndata: {"thread_id": "t", "run_id": "cut"}\n\n',
            headers={"Content-Type": "text/event-stream"},
        ),
    )
    attempts: list[str] = []

    def follow(route: object) -> None:
        attempts.append(route.request.headers["last-event-id"])  # type: ignore[attr-defined]
        if len(attempts) < 3:
            route.abort("connectionreset")  # type: ignore[attr-defined]
            return
        route.fulfill(  # type: ignore[attr-defined]
            body='id: 2\nevent: answer\ndata: {"answer": "Sudah kembali"}\n\n'
            'id: 3\nevent: done\ndata: {"type": "done"}\n\n',
            headers={"Content-Type": "text/event-stream"},
        )

    page.route("**/runs/cut/stream**", follow)
    say(page, "halo")

    expect(page.locator("#connection")).to_contain_text("Koneksi terputus")
    expect_answer(page, "Sudah kembali")
    expect(page.locator("#connection")).to_be_hidden()
    assert attempts == ["1", "1", "1"]


def test_a_request_that_got_lost_is_repeated_under_its_key(
    open_page: NewPage, forgiven: list[str]
) -> None:
    page = open_page("ReAct")
    forgiven.append("ERR_")
    keys: list[str] = []

    def lose_once(route: object) -> None:
        keys.append(route.request.headers["idempotency-key"])  # type: ignore[attr-defined]
        if len(keys) == 1:
            route.abort("connectionreset")  # type: ignore[attr-defined]
        else:
            route.continue_()  # type: ignore[attr-defined]

    page.route("**/messages/stream", lose_once)
    say(page, "halo")

    expect_answer(page, "Kamu bilang: halo")
    assert len(keys) == 2
    assert keys[0] == keys[1]


def test_two_tabs_decide_the_same_action(
    open_page: NewPage, service: Service, forgiven: list[str]
) -> None:
    first = open_page("Human-in-the-loop")
    say(first, "satu email")
    expect(action(first)).to_be_visible()
    second = open_page(first.url.partition("#/")[2], context=first.context)
    before = len(service.ran())
    decide(first, 1, "Setujui")
    decide(second, 1, "Tolak")
    forgiven.append("400")

    submit(first).click()
    expect_state(first, "done")
    submit(second).click()

    expect(second.locator(".notice")).to_contain_text("Keputusanmu tidak diterapkan")
    expect(second.locator(".notice")).to_contain_text("Tidak ada aksi yang menunggu")
    expect(second.locator(".review")).to_have_count(0)
    expect(answer(second)).to_contain_text("Sent to alice@example.com")
    assert len(service.ran()) == before + 1


def test_a_message_from_a_tab_that_does_not_know_of_the_pause(
    open_page: NewPage, forgiven: list[str]
) -> None:
    old = open_page("Human-in-the-loop")
    say(old, "halo")
    expect_state(old, "done")
    new = open_page(old.url.partition("#/")[2], context=old.context)
    expect(answer(new)).to_be_visible()
    say(new, "satu email")
    expect(action(new)).to_be_visible()
    forgiven.append("400")

    say(old, "lupakan saja")

    expect(action(old)).to_be_visible()
    expect(old.locator(".notice")).to_contain_text("Masih ada aksi yang menunggu")
    expect(old.get_by_label("Pesan", exact=True)).to_have_value("lupakan saja")


def test_an_action_still_waits_after_a_restart_of_the_server(pages: Pages, tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        page = pages.open(f"{service.page}#/Human-in-the-loop")
        say(page, "satu email")
        expect(action(page)).to_be_visible()
        service.stop()
        service.start()

        page.reload()
        decide(page, 1, "Setujui")
        submit(page).click()

        expect_answer(page, "Sent to alice@example.com")
        assert len(service.ran()) == 1
        assert pages.complaints == []


def test_an_action_that_a_crash_cut_off_is_marked_as_unknown(pages: Pages, tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        page = pages.open(f"{service.page}#/Human-in-the-loop")
        say(page, "padamkan")
        decide(page, 1, "Setujui")
        submit(page).click()
        expect(page.locator("#connection")).to_contain_text("Koneksi terputus")
        service.stop()
        service.start()

        # The page comes back by itself and is told that the turn broke off; trying again ends it.
        page.get_by_role("button", name="Coba lagi").click()
        expect_answer(page, "The outcome of this action is unknown")
        page.reload()

        expect(page.locator(".call")).to_have_attribute("data-state", "unknown")
        expect(page.locator(".call summary")).to_contain_text("tidak diketahui")
        assert len(service.ran()) == 1
