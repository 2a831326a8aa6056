import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.acting import decide, expect_state, say, submit
from tests.browser.conftest import NewPage
from tests.browser.servers import Service


def test_a_form_is_made_from_the_schema(open_page: NewPage, service: Service) -> None:
    page = open_page("Human-in-the-loop")
    say(page, "pesan ruang")
    card = decide(page, 1, "Ubah")

    card.get_by_label("room").select_option("Melati")
    card.get_by_label("people").fill("banyak")
    expect(card.get_by_text("Harus berupa bilangan bulat")).to_be_visible()
    card.get_by_label("people").fill("12")
    card.get_by_label("price").fill("2.50")
    card.get_by_label("catering").select_option("false")
    card.get_by_label("guests").fill('["ana", "budi"]')
    card.get_by_label("note").fill("satu\ntiga")
    expect(card.locator(".diff del")).to_contain_text(["Anggrek"])
    submit(page).click()

    expect_state(page, "done")
    assert service.ran()[-1]["args"] == {
        "room": "Melati",
        "people": 12,
        "price": 2.5,
        "catering": False,
        "guests": ["ana", "budi"],
        "note": "satu\ntiga",
    }


def test_an_optional_argument_can_be_added_and_removed(
    open_page: NewPage, service: Service
) -> None:
    page = open_page("Human-in-the-loop")
    say(page, "satu email")
    card = decide(page, 1, "Ubah")

    card.get_by_role("button", name="+ cc").click()
    card.get_by_label("cc").fill("bos@x.co")
    expect(card.locator(".diff")).to_contain_text("ditambah")
    card.get_by_role("button", name="hapus").click()
    expect(card.get_by_text("Belum ada yang diubah")).to_be_visible()
    card.get_by_role("button", name="+ cc").click()
    card.get_by_label("cc").fill("bos@x.co")
    submit(page).click()

    expect_state(page, "done")
    assert service.ran()[-1]["args"]["cc"] == "bos@x.co"


HIDDEN_FIELDS = """
(() => {
  const foot = document.querySelector(".review-foot").getBoundingClientRect().top;
  const top = document.querySelector("#conversation").getBoundingClientRect().top;
  return [...document.querySelectorAll(".action-detail .field")]
    .map((e) => e.getBoundingClientRect())
    .filter((box) => box.bottom > foot || box.top < top).length;
})()
"""


@pytest.mark.parametrize("size", [(1200, 800), (390, 844)], ids=["desk", "phone"])
@pytest.mark.parametrize("decision", ["Ubah", "Tolak"])
def test_fields_that_open_can_be_seen(
    open_page: NewPage, size: tuple[int, int], decision: str
) -> None:
    page = open_page("Human-in-the-loop", viewport={"width": size[0], "height": size[1]})
    say(page, "satu email")

    decide(page, 1, decision)

    expect(page.locator(".action-detail .field").first).to_be_visible()
    assert page.evaluate(HIDDEN_FIELDS) == 0


@pytest.fixture
def json_view(open_page: NewPage) -> Page:
    page: Page = open_page("Human-in-the-loop")
    say(page, "satu email")
    decide(page, 1, "Ubah").get_by_role("button", name="JSON").click()
    return page


WRONG_JSON = {
    "{nope": "Bukan JSON",
    "[1, 2]": "Isinya daftar",
    '"text"': "Isinya teks",
    "3": "Isinya angka",
    "true": "Isinya true atau false",
    "": "Kosong",
    "null": "Isinya null",
}


def test_wrong_json_is_explained_and_not_sent(json_view: Page) -> None:
    asked: list[str] = []
    json_view.on("request", lambda request: asked.append(request.url))
    field = json_view.get_by_label("Argumen sebagai JSON")

    for typed, said in WRONG_JSON.items():
        field.fill(typed)
        submit(json_view).click()
        expect(json_view.locator(".fault")).to_contain_text(said)
        expect(field).to_be_focused()

    expect(json_view.locator("#status")).to_contain_text("Belum ada yang dikirim")
    expect(json_view.locator(".review")).to_be_visible()
    assert asked == []


def test_json_is_sent_as_it_was_typed(json_view: Page, service: Service) -> None:
    field = json_view.get_by_label("Argumen sebagai JSON")
    field.fill('{"to": "json@x.co", "subject": "S", "body": "B"}')
    expect(json_view.locator(".diff ins")).to_contain_text(["json"])
    submit(json_view).click()

    expect_state(json_view, "done")
    assert service.ran()[-1]["args"]["to"] == "json@x.co"


MISFITS = {
    '{"to": 5, "subject": "S", "body": "B"}': ["to: Harus berupa teks"],
    '{"to": "a@x.co", "body": ["B"]}': ["subject: Wajib ada", "body: Harus berupa teks"],
    '{"to": "a@x.co", "subject": "S", "body": "B", "cc": 1}': ["cc: Harus berupa teks atau null"],
    "{}": ["to: Wajib ada", "subject: Wajib ada", "body: Wajib ada"],
}


def test_arguments_that_the_tool_would_not_take_are_explained_and_not_sent(
    json_view: Page, service: Service
) -> None:
    asked: list[str] = []
    json_view.on("request", lambda request: asked.append(request.url))
    field = json_view.get_by_label("Argumen sebagai JSON")

    for typed, said in MISFITS.items():
        field.fill(typed)
        submit(json_view).click()
        expect(json_view.locator(".fault p")).to_have_text(said)
        expect(field).to_be_focused()
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_have_accessible_description(" ".join(said))

    expect(json_view.locator("#status")).to_contain_text("Belum ada yang dikirim")
    assert asked == []
    field.fill('{"to": "mended@x.co", "subject": "S", "body": "B", "cc": null}')
    submit(json_view).click()
    expect_state(json_view, "done")
    assert service.ran()[-1]["args"]["to"] == "mended@x.co"


def test_the_form_explains_what_the_tool_would_not_take(
    open_page: NewPage, service: Service
) -> None:
    page = open_page("Human-in-the-loop")
    say(page, "ruang salah")
    card = decide(page, 1, "Ubah")

    def fault(label: str) -> Locator:
        described = card.get_by_label(label).get_attribute("aria-describedby")
        return card.locator(f"#{described}")

    expect(fault("room")).to_have_text('Pilihannya: "Anggrek", "Melati"')
    expect(fault("people")).to_have_text("Harus berupa bilangan bulat")
    expect(fault("guests")).to_have_text("2: Harus berupa teks")
    expect(card.get_by_text("catering: Wajib ada")).to_be_visible()
    submit(page).click()
    expect(card.get_by_label("room")).to_be_focused()

    card.get_by_label("room").fill("Melati")
    card.get_by_label("people").fill("4")
    card.get_by_label("guests").fill('["ana"]')
    submit(page).click()
    expect(card.get_by_role("button", name="+ catering")).to_be_focused()
    page.keyboard.press("Enter")
    expect(card.get_by_label("catering")).to_be_focused()
    submit(page).click()

    expect_state(page, "done")
    assert service.ran()[-1]["args"] == {
        "room": "Melati",
        "people": 4,
        "price": 1.5,
        "catering": False,
        "guests": ["ana"],
        "note": "",
    }


def test_tools_of_one_name_are_not_taken_for_each_other(
    open_page: NewPage, service: Service
) -> None:
    page = open_page()
    schemas = [
        {"properties": {"to": {"type": kind}}, "type": "object"} for kind in ("null", "object")
    ]
    tools = [{"name": "send_email", "description": "", "parameters": schema} for schema in schemas]
    page.route("**/playground/tools**", lambda route: route.fulfill(json=tools))
    page.get_by_role("link", name="Human-in-the-loop").click()
    expect(page.locator("#feature-name")).to_have_text("Human-in-the-loop")
    expect(page.locator("#main")).to_have_attribute("aria-busy", "false")
    say(page, "satu email")

    decide(page, 1, "Ubah").get_by_label("to", exact=True).fill("which@x.co")
    submit(page).click()

    expect_state(page, "done")
    assert service.ran()[-1]["args"]["to"] == "which@x.co"


def test_a_field_that_is_added_or_removed_takes_no_focus_and_no_text_away(
    open_page: NewPage,
) -> None:
    page = open_page("Human-in-the-loop")
    say(page, "pesan ruang")
    card = decide(page, 1, "Ubah")
    card.get_by_label("people").fill("banyak")

    card.get_by_role("button", name="hapus").click()
    expect(card.get_by_role("button", name="+ note")).to_be_focused()
    expect(card.get_by_label("people")).to_have_value("banyak")
    page.keyboard.press("Enter")
    expect(card.get_by_label("note")).to_be_focused()
    expect(card.get_by_text("Harus berupa bilangan bulat")).to_be_visible()

    decide(page, 1, "Setujui")
    decide(page, 1, "Ubah")
    expect(card.get_by_label("people")).to_have_value("4")
    expect(card.locator("[aria-invalid=true]")).to_have_count(0)


def test_numbers_keep_every_digit(open_page: NewPage, service: Service) -> None:
    page = open_page("Human-in-the-loop")
    say(page, "bilangan besar")
    card = decide(page, 1, "Ubah")

    expect(card.locator(".arguments").first).to_contain_text(str(2**60 + 1))
    card.get_by_label("note").fill("lain")
    submit(page).click()

    expect_state(page, "done")
    assert service.ran()[-1]["args"]["people"] == 2**60 + 1


def test_a_draft_survives_a_reload(open_page: NewPage, service: Service) -> None:
    page = open_page("Human-in-the-loop")
    say(page, "tiga email")
    decide(page, 1, "Ubah").get_by_label("to", exact=True).fill("draf@x.co")
    decide(page, 2, "Tolak").get_by_label("Alasan").fill("tidak")

    page.reload()
    decide(page, 3, "Setujui")
    submit(page).click()

    expect_state(page, "done")
    # Approved at once, they run at once.
    assert {run["args"]["to"] for run in service.ran()[-2:]} == {"draf@x.co", "c@x.co"}
