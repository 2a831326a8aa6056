"""Conversations of several messages: questions, results, rejections, memory, delegation."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool

from tests.infrastructure.llm.test_demo_model_support import (
    OFFICE,
    REJECTED,
    SUPERVISOR,
    UNKNOWN,
    Dialogue,
    add,
    ask,
    book_hotel,
    get_weather,
    send_email,
    set_alarm,
)

WEATHER = "get_weather"
EMAIL = "send_email"


def test_it_asks_for_what_is_missing_and_goes_on_with_the_answers() -> None:
    talk = Dialogue(OFFICE)
    question = talk.say("kirim email")
    assert question.calls == []
    assert "`to`" in question.text
    assert "`body`" in question.text
    assert "`body`" in talk.say("alice@example.com").text
    done = talk.say("isinya rapat jam 10")
    expected = {"to": "alice@example.com", "subject": "Rapat jam 10", "body": "rapat jam 10"}
    assert done.calls == [(EMAIL, expected)]
    assert "alice@example.com" in done.text


@pytest.mark.parametrize(
    ("first", "second", "call"),
    [
        ("cuaca?", "Bandung", (WEATHER, {"location": "Bandung"})),
        ("what's the weather?", "in New York please", (WEATHER, {"location": "New York"})),
        ("cuaca di kota saya?", "Semarang", (WEATHER, {"location": "Semarang"})),
        ("book a hotel in Bali", "3", ("book_hotel", {"city": "Bali", "nights": 3})),
        ("set alarm", "yes", ("set_alarm", {"active": True})),
        ("tambah 2", "5", ("add", {"a": 2, "b": 5})),
        (
            "email bob@x.io",
            "The meeting is at 10",
            (
                EMAIL,
                {
                    "to": "bob@x.io",
                    "subject": "The meeting is at 10",
                    "body": "The meeting is at 10",
                },
            ),
        ),
        (
            "kirim email ke Budi tentang rapat besok",
            "budi@x.io",
            (EMAIL, {"to": "budi@x.io", "subject": "Rapat besok", "body": "rapat besok"}),
        ),
    ],
)
def test_the_answer_may_be_nothing_but_the_value(
    first: str, second: str, call: tuple[str, dict[str, object]]
) -> None:
    talk = Dialogue([get_weather, send_email, book_hotel, set_alarm, add])
    assert talk.say(first).calls == []
    assert talk.say(second).calls == [call]


def test_another_wish_or_a_cancellation_ends_the_question() -> None:
    talk = Dialogue(OFFICE)
    talk.say("kirim email")
    assert talk.say("cuaca di Bandung").calls == [(WEATHER, {"location": "Bandung"})]
    talk.say("kirim email ke bob@x.io")
    assert "tidak saya lanjutkan" in talk.say("batal").text
    assert talk.say("halo").calls == []


def test_a_complete_wish_runs_while_an_incomplete_one_is_asked_for() -> None:
    talk = Dialogue(OFFICE)
    first = talk.say("cek cuaca di Paris dan kirim email")
    assert first.calls == [(WEATHER, {"location": "Paris"})]
    assert "sunny in Paris" in first.text
    assert "`to`" in first.text
    assert talk.say("ke a@b.co isi 'hai'").calls == [
        (EMAIL, {"to": "a@b.co", "subject": "Hai", "body": "hai"})
    ]


def test_a_call_that_needs_a_result_waits_for_it() -> None:
    talk = Dialogue(OFFICE)
    reply = talk.say("cek cuaca di Paris lalu kirim hasilnya ke a@b.co")
    assert [name for name, _ in reply.calls] == [WEATHER, EMAIL]
    assert reply.calls[1][1]["body"] == "It is sunny in Paris."
    assert [len(m.tool_calls) for m in talk.messages if isinstance(m, AIMessage)] == [1, 1, 0]


@pytest.mark.parametrize(
    "text",
    [
        "check the weather in Paris and email it to a@b.co",
        "Get the weather in Paris, then send it to a@b.co",
        "Look up the weather in Paris and let a@b.co know",
        "Please email a@b.co the weather in Paris",
        "Email the weather in Paris to a@b.co",
        "Send a@b.co an email with the weather in Paris",
        "Cek cuaca di Paris lalu kirimkan ke a@b.co",
        "Cek cuaca di Paris dan emailkan ke a@b.co",
        "Kirim cuaca di Paris ke a@b.co",
        "Cek cuaca di Paris. Kirim ke a@b.co",
    ],
)
@pytest.mark.parametrize("tools", [OFFICE, SUPERVISOR], ids=["tools", "subagents"])
def test_what_was_looked_up_is_what_is_sent(text: str, tools: list[BaseTool]) -> None:
    (_, asked), (_, sent) = Dialogue(tools).say(text).calls

    assert "Paris" in str(asked)
    assert "a@b.co" not in str(asked)
    assert "a@b.co" in str(sent)
    assert "It is sunny in Paris." in str(sent)


def test_what_was_looked_up_at_two_places_is_sent_to_two_people() -> None:
    talk = Dialogue(OFFICE)
    reply = talk.say("Please send the weather in Paris and Rome to a@b.co and c@d.co")

    asked, sent = reply.calls[:2], reply.calls[2:]
    assert [args["location"] for _, args in asked] == ["Paris", "Rome"]
    assert [args["to"] for _, args in sent] == ["a@b.co", "c@d.co"]
    assert {args["body"] for _, args in sent} == {"It is sunny in Paris.\nIt is sunny in Rome."}


def test_a_question_is_not_sent_as_a_result() -> None:
    reply = Dialogue(SUPERVISOR).say("email the weather to a@b.co")

    assert [name for name, _ in reply.calls] == ["weather_agent"]
    assert "`location`" in reply.text


def test_a_call_that_needs_a_result_is_not_made_without_one() -> None:
    talk = Dialogue(OFFICE)
    reply = talk.say("cek cuaca di Paris lalu kirim hasilnya ke a@b.co", error=REJECTED)
    assert [name for name, _ in reply.calls] == [WEATHER]


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("Kirim email ke a@b.co isi 'hai'", REJECTED, ["tidak dijalankan", REJECTED]),
        ("email a@b.co: hi", REJECTED, ["was not done", REJECTED]),
        (
            "email a@b.co: hi",
            "No decision was given for this action. It was not executed.",
            ["was not done", "No decision was given"],
        ),
        ("email a@b.co: hi", "Wrong recipient. Ask for it.", ["was not done", "“Wrong recipient."]),
        ("email a@b.co: hi", f"{REJECTED} Reason: Too late", ["was not done", "“Too late”"]),
        ("Kirim email ke a@b.co isi 'hai'", "Error: smtp down", ["gagal", "smtp down"]),
        ("email a@b.co: hi", "Error: x is not a valid tool, try one of [y].", ["failed"]),
        ("email a@b.co: hi", UNKNOWN, ["unknown whether", "did not repeat"]),
        ("Kirim email ke a@b.co isi 'hai'", UNKNOWN, ["Belum diketahui"]),
    ],
)
def test_what_did_not_work_is_said_plainly_and_not_repeated(
    text: str, error: str, said: list[str]
) -> None:
    talk = Dialogue(OFFICE)
    reply = talk.say(text, error=error)
    assert len(reply.calls) == 1
    for part in said:
        assert part in reply.text
    assert talk.say("ok").calls == []
    assert talk.say("terima kasih").calls == []


def test_the_user_may_ask_again_after_a_rejection() -> None:
    talk = Dialogue(OFFICE)
    first = talk.say("Kirim email ke a@b.co isi 'hai'", error=REJECTED)
    assert talk.say("coba lagi").calls == first.calls
    changed = talk.say("kirim ke c@d.co saja").calls
    assert changed == [(EMAIL, {"to": "c@d.co", "subject": "Hai", "body": "hai"})]


def test_it_reports_what_a_person_changed() -> None:
    talk = Dialogue(OFFICE)
    reply = talk.say("Kirim email ke alice@x.io isi 'Jam 10'", edit={"to": "bob@x.io"})
    assert "to = “bob@x.io”, bukan “alice@x.io”" in reply.text
    assert talk.say("Send an email to a@b.co saying hi", edit={"to": "c@d.co"}).text.endswith(
        "to = “c@d.co”, not “a@b.co”."
    )


def test_what_was_not_changed_is_not_reported_as_changed() -> None:
    assert "bukan" not in Dialogue(OFFICE).say("Kirim email ke a@b.co isi 'Jam 10'").text


def test_each_result_of_a_mixed_turn_is_told() -> None:
    question = HumanMessage("cuaca di Solo dan kirim email ke a@b.co isi 'hai'")
    answer = ask([question], OFFICE)
    ids = [call["id"] for call in answer.tool_calls]
    results = [
        ToolMessage("cerah", tool_call_id=ids[0]),
        ToolMessage(REJECTED, tool_call_id=ids[1], status="error"),
    ]
    text = ask([question, answer, *results], OFFICE).text
    assert "`get_weather` (Solo): cerah" in text
    assert "`send_email` (a@b.co) tidak dijalankan" in text


def test_results_may_be_lists_of_blocks() -> None:
    question = HumanMessage("cuaca di Solo?")
    answer = ask([question], OFFICE)
    result = ToolMessage(
        [{"type": "text", "text": "cerah"}, "31 derajat"], tool_call_id=answer.tool_calls[0]["id"]
    )
    assert "cerah\n31 derajat" in ask([question, answer, result], OFFICE).text


def test_follow_ups_lean_on_the_call_before() -> None:
    talk = Dialogue(OFFICE)
    talk.say("cuaca di Jakarta?")
    assert talk.say("kalau di Bandung?").calls == [(WEATHER, {"location": "Bandung"})]
    assert talk.say("Medan?").calls == [(WEATHER, {"location": "Medan"})]
    assert talk.say("what about Paris?").calls == [(WEATHER, {"location": "Paris"})]
    assert talk.say("gimana cuaca di sana?").calls == [(WEATHER, {"location": "Paris"})]


def test_it_remembers_what_was_said() -> None:
    talk = Dialogue(OFFICE)
    assert "belum" in talk.say("siapa nama saya?").text
    assert "Budi" in talk.say("Halo, nama saya Budi").text
    talk.say("saya tinggal di Bandung")
    talk.say("warna favorit saya biru")
    assert "Budi" in talk.say("siapa nama saya?").text
    assert "Bandung" in talk.say("di mana saya tinggal?").text
    assert "biru" in talk.say("apa warna favorit saya?").text
    assert talk.say("cuaca di kota saya?").calls == [(WEATHER, {"location": "Bandung"})]


def test_it_remembers_in_english() -> None:
    talk = Dialogue(OFFICE)
    talk.say("my name is Ann. I live in London")
    assert "Ann" in talk.say("What's my name?").text
    assert talk.say("what is the weather in my city?").calls == [(WEATHER, {"location": "London"})]
    assert "London" in talk.say("what city did I ask about?").text
    talk.say("my name is Bea")
    assert "Bea" in talk.say("who am I?").text


def test_it_recalls_earlier_requests() -> None:
    talk = Dialogue(OFFICE)
    talk.say("cuaca di Surabaya?")
    assert "Surabaya" in talk.say("kota apa yang saya tanyakan?").text
    assert "kota apa" in talk.say("apa yang saya tanyakan tadi?").text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("halo", "model demo luring"),
        ("hello there", "offline demo model"),
        ("bantuan", "get_weather"),
        ("what can you do?", "send_email"),
        ("kamu siapa?", "`LLM_MODEL`"),
        ("siapa presiden Indonesia?", "`LLM_MODEL`"),
        ("who won the game?", "Sorry, I cannot answer that"),
        ("terima kasih", "Sama-sama"),
        ("thanks!", "welcome"),
    ],
)
def test_small_talk_and_honesty(text: str, said: str) -> None:
    assert said in Dialogue(OFFICE).say(text).text


def test_it_works_without_tools() -> None:
    assert "tidak ada tool" in Dialogue([]).say("halo").text


def test_the_supervisor_passes_on_the_part_that_concerns_a_subagent() -> None:
    text = "cuaca di Jakarta dan Bandung, lalu kirim email ke a@b.co isi 'hai'"
    reply = Dialogue(SUPERVISOR).say(text)
    assert reply.calls == [
        ("weather_agent", {"query": "cuaca di Jakarta dan Bandung"}),
        ("email_agent", {"query": "kirim email ke a@b.co isi 'hai'"}),
    ]
    for part in ("sunny in Jakarta", "sunny in Bandung", "Email sent to a@b.co: Hai / hai"):
        assert part in reply.text


def test_the_supervisor_hands_results_on() -> None:
    reply = Dialogue(SUPERVISOR).say("Check the weather in Paris and send the result to bob@x.io")
    assert [name for name, _ in reply.calls] == ["weather_agent", "email_agent"]
    assert "Email sent to bob@x.io: It is sunny in Paris / It is sunny in Paris." in reply.text


def test_the_supervisor_makes_follow_ups_self_contained() -> None:
    talk = Dialogue(SUPERVISOR)
    talk.say("Bagaimana cuaca di Jakarta?")
    expected = [("weather_agent", {"query": "Bagaimana cuaca di Bandung?"})]
    assert talk.say("kalau di Bandung?").calls == expected


def test_the_supervisor_carries_answers_to_a_subagent_that_asked() -> None:
    talk = Dialogue(SUPERVISOR)
    assert "`to`" in talk.say("kirim email ke Budi").text
    assert "`body`" in talk.say("budi@x.io").text
    assert "Email sent to budi@x.io" in talk.say("isinya rapat jam 10").text


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        *[(text, "Hello!") for text in ("hi", "Hey!", "hi there", "good night", "yo")],
        *[(text, "You are welcome!") for text in ("thanks", "ok thanks", "great", "nice")],
        *[(text, "All right.") for text in ("cool", "no", "nope", "yes", "fine")],
        *[(text, "All right, I will not") for text in ("cancel", "never mind", "stop")],
        *[(text, "Goodbye!") for text in ("bye", "see you later")],
        *[(text, "I am the offline demo model") for text in ("help", "What can you do?")],
        *[(text, "Halo!") for text in ("halo", "selamat malam", "tes")],
        *[(text, "Sama-sama!") for text in ("makasih", "oke makasih", "mantap")],
        *[(text, "Baik.") for text in ("baik", "tidak", "oke")],
        *[(text, "Sampai jumpa!") for text in ("dadah", "sampai jumpa")],
    ],
)
def test_a_few_words_are_answered_in_their_language(text: str, beginning: str) -> None:
    assert Dialogue(OFFICE).say(text).text.startswith(beginning)
