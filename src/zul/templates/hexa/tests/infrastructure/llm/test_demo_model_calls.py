"""Which calls a single message leads to: choice of the tool and its arguments."""

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import BaseTool

from tests.infrastructure.llm.test_demo_model_support import (
    EVERYTHING,
    OFFICE,
    Calls,
    Dialogue,
    add,
    ask,
    book_hotel,
    book_room,
    calculator,
    calls_for,
    cek_stok,
    get_order_status,
    kirim_pesan,
    multiply,
    save_note,
    schedule_meeting,
    search_flights,
    set_alarm,
    ship_order,
    total,
    translate,
)


def weather(*places: str) -> Calls:
    return [("get_weather", {"location": place}) for place in places]


def email(to: str, subject: str, body: str) -> Calls:
    return [("send_email", {"to": to, "subject": subject, "body": body})]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is the weather in sf?", weather("sf")),
        ("cuaca Bandung?", weather("Bandung")),
        ("Bagaimana cuaca di Jakarta hari ini?", weather("Jakarta")),
        ("cuaca di new york", weather("New York")),
        ("Halo, tolong cek cuaca di kota Semarang dong", weather("Semarang")),
        ("Is it raining in San Francisco, CA?", weather("San Francisco, CA")),
        ("apakah perlu payung di Bogor?", weather("Bogor")),
        ("cuaca di Jakarta dan Bandung", weather("Jakarta", "Bandung")),
        ("cuaca Jakarta, Bandung, dan Medan", weather("Jakarta", "Bandung", "Medan")),
        ("weather in Paris, France and London", weather("Paris, France", "London")),
        ("pakai get_weather untuk Solo", weather("Solo")),
        ("Jakarta weather", weather("Jakarta")),
        ("Bandung hujan gak?", weather("Bandung")),
        ("suhu di Bandung berapa?", weather("Bandung")),
        ("How's Paris weather?", weather("Paris")),
        ("Is it sunny in Rome", weather("Rome")),
        ("Bandingkan cuaca Solo vs Semarang", weather("Solo", "Semarang")),
        ("cuaca di Jakarta bagaimana, dan bagaimana di Bandung?", weather("Jakarta", "Bandung")),
        ("halo, nama saya Budi. cuaca di Solo?", weather("Solo")),
        ("Terima kasih, sekarang cek cuaca di Bali", weather("Bali")),
        ("saya tinggal di Bandung, cuaca besok gimana?", weather("Bandung")),
    ],
)
def test_weather(text: str, expected: Calls) -> None:
    assert calls_for(text, OFFICE) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Kirim email ke alice@example.com dengan subjek 'Rapat' isi 'Jam 10 ya'",
            email("alice@example.com", "Rapat", "Jam 10 ya"),
        ),
        (
            "Send an email to alice@example.com with subject “Lunch” and body “See you at 12”",
            email("alice@example.com", "Lunch", "See you at 12"),
        ),
        (
            'kirim surel ke a@b.co, subject: "Hi", body: "It\'s fine"',
            email("a@b.co", "Hi", "It's fine"),
        ),
        (
            "email bob@x.io: meeting moved to 11",
            email("bob@x.io", "Meeting moved to 11", "meeting moved to 11"),
        ),
        (
            "tell alice@example.com that the meeting is at 10",
            email("alice@example.com", "The meeting is at 10", "the meeting is at 10"),
        ),
        (
            "beri tahu ani@x.id bahwa rapat dan makan siang batal",
            email("ani@x.id", "Rapat dan makan siang batal", "rapat dan makan siang batal"),
        ),
        (
            "kirim email ke a@b.co, subjek: Halo, isi: Apa kabar?",
            email("a@b.co", "Halo", "Apa kabar?"),
        ),
        (
            "send mail to x@y.zz subject hello body how are you",
            email("x@y.zz", "hello", "how are you"),
        ),
        (
            "please send ann@x.io an email saying that lunch is at noon",
            email("ann@x.io", "Lunch is at noon", "lunch is at noon"),
        ),
        (
            "Tolong kabari budi@x.id kalau rapat diundur ke jam 3",
            email("budi@x.id", "Rapat diundur ke jam 3", "rapat diundur ke jam 3"),
        ),
        (
            "Kirim email ke ani@x.id tentang laporan bulanan",
            email("ani@x.id", "Laporan bulanan", "laporan bulanan"),
        ),
        (
            'Kirim email ke a@b.co isi "Halo Ani,\nRapat jam 10."',
            email("a@b.co", "Halo Ani", "Halo Ani,\nRapat jam 10."),
        ),
        ("kirim 'Halo semua' ke bob@x.io", email("bob@x.io", "Halo semua", "Halo semua")),
        ("apa kamu bisa kirim email ke bob@x.io isi 'hai'?", email("bob@x.io", "Hai", "hai")),
        (
            "send_email to=a@b.co subject='Hello' body='World'",
            email("a@b.co", "Hello", "World"),
        ),
        (
            "Kirim email ke bob@x.io. Isinya: rapat jam 10. Terima kasih.",
            email("bob@x.io", "Rapat jam 10", "rapat jam 10. Terima kasih."),
        ),
        (
            "Kirim email ke a@b.co dan c@d.co isi 'hai'",
            [*email("a@b.co", "Hai", "hai"), *email("c@d.co", "Hai", "hai")],
        ),
        (
            "send an email to a@b.co with subject Budget for 2026 and body see the file",
            email("a@b.co", "Budget for 2026", "see the file"),
        ),
    ],
)
def test_email(text: str, expected: Calls) -> None:
    assert calls_for(text, OFFICE) == expected


@pytest.mark.parametrize(
    ("text", "amount", "source", "target"),
    [
        ("convert 100 USD to IDR", 100.0, "USD", "IDR"),
        ("konversi 1.500.000 rupiah ke usd", 1500000.0, "IDR", "USD"),
        ("berapa 2,5 juta rupiah dalam dolar?", 2500000.0, "IDR", "USD"),
        ("tukar Rp50.000 ke yen", 50000.0, "IDR", "JPY"),
        ("convert Rp250.000 to USD, please", 250000.0, "IDR", "USD"),
        ("convert Rp250,000 to USD, please", 250000.0, "IDR", "USD"),
        ("konversi Rp1.500,50 ke dolar", 1500.5, "IDR", "USD"),
        ("how much is 250.000 rupiah in dollars?", 250000.0, "IDR", "USD"),
        ("how much is 1.250 euro in dollars?", 1.25, "EUR", "USD"),
        ("how much is 1,250.50 euro in pounds?", 1250.5, "EUR", "GBP"),
        ("convert_currency amount=5 from_currency=EUR to_currency=SGD", 5.0, "EUR", "SGD"),
        ("konversi 10rb ke USD dari IDR", 10000.0, "IDR", "USD"),
    ],
)
def test_currency(text: str, amount: float, source: str, target: str) -> None:
    expected = {"amount": amount, "from_currency": source, "to_currency": target}
    assert calls_for(text, OFFICE) == [("convert_currency", expected)]


@pytest.mark.parametrize(
    ("tools", "text", "name", "args"),
    [
        ([add, multiply], "berapa 2 + 3?", "add", {"a": 2, "b": 3}),
        ([add, multiply], "add two and 3", "add", {"a": 2, "b": 3}),
        ([add, multiply], "tambahkan a=-2 b=3", "add", {"a": -2, "b": 3}),
        ([add, multiply], "berapa 2,5 kali 4?", "multiply", {"a": 2.5, "b": 4.0}),
        ([add, multiply], "what is 3 times 4", "multiply", {"a": 3.0, "b": 4.0}),
        ([calculator], "hitung 12 dikali 7", "calculator", {"expression": "12 * 7"}),
        ([calculator], "berapa 10 / 4?", "calculator", {"expression": "10 / 4"}),
        ([total], "jumlahkan 1, 2 dan 3,5", "total", {"numbers": [1.0, 2.0, 3.5]}),
        (OFFICE, "cari dokumentasi tentang retur barang", "search_docs", {"query": "retur barang"}),
        (OFFICE, "search docs for deployment", "search_docs", {"query": "deployment"}),
        (
            OFFICE,
            "buat tiket 'Login rusak' prioritas tinggi",
            "create_ticket",
            {"title": "Login rusak", "priority": "high"},
        ),
        (
            OFFICE,
            "create a ticket login broken with low priority",
            "create_ticket",
            {"title": "login broken", "priority": "low"},
        ),
        (OFFICE, "jam berapa sekarang?", "get_time", {}),
        (OFFICE, "jam berapa di Tokyo?", "get_time", {"timezone": "Asia/Tokyo"}),
        (OFFICE, "what time is it in Europe/Madrid", "get_time", {"timezone": "Europe/Madrid"}),
        (
            [schedule_meeting],
            "jadwalkan rapat 'Review' tanggal 2025-12-01 dengan a@b.co dan c@d.co",
            "schedule_meeting",
            {"title": "Review", "date": "2025-12-01", "attendees": ["a@b.co", "c@d.co"]},
        ),
        (
            [schedule_meeting],
            "schedule a meeting titled Budget on 17 August 2026 with ann@x.io, urgent",
            "schedule_meeting",
            {"title": "Budget", "date": "2026-08-17", "attendees": ["ann@x.io"], "urgent": True},
        ),
        (
            [book_hotel],
            "pesan hotel di Bali 3 malam untuk 2 orang",
            "book_hotel",
            {"city": "Bali", "nights": 3, "guests": 2},
        ),
        (
            [book_hotel],
            "book a hotel in Paris for 2 nights",
            "book_hotel",
            {"city": "Paris", "nights": 2},
        ),
        (
            [search_flights],
            "cari penerbangan dari Jakarta ke Bali tanggal 2026-01-05",
            "search_flights",
            {"origin": "Jakarta", "destination": "Bali", "date": "2026-01-05"},
        ),
        (
            [ship_order],
            "kirim pesanan ORD-12 ke street='Jl. Merdeka 1' city=Bandung",
            "ship_order",
            {"order_id": "ORD-12", "address": {"street": "Jl. Merdeka 1", "city": "Bandung"}},
        ),
        (
            [ship_order],
            'ship order ORD-1 {"address": {"street": "Main", "city": "Paris"}}',
            "ship_order",
            {"order_id": "ORD-1", "address": {"street": "Main", "city": "Paris"}},
        ),
        ([book_room], "Book room Blue at 10", "book_room", {"room": "Blue", "hour": 10}),
        ([book_room], "Book room 12 for 9", "book_room", {"room": "12", "hour": 9}),
        ([book_room], "Pesan ruang Biru jam 10", "book_room", {"room": "Biru", "hour": 10}),
        ([set_alarm], "set alarm active=yes", "set_alarm", {"active": True}),
        ([set_alarm], "set alarm aktif: tidak", "set_alarm", {"active": False}),
        (
            [translate],
            "terjemahkan 'Selamat pagi' ke bahasa inggris",
            "translate",
            {"text": "Selamat pagi", "target_language": "english"},
        ),
        (
            [translate],
            "terjemahkan selamat pagi ke bahasa jepang",
            "translate",
            {"text": "selamat pagi", "target_language": "japanese"},
        ),
        ([save_note], "catat beli susu", "save_note", {"text": "beli susu"}),
        ([save_note], "save note: buy milk", "save_note", {"text": "buy milk"}),
        (
            [kirim_pesan],
            "kirim pesan ke Budi: nanti telat",
            "kirim_pesan",
            {"penerima": "Budi", "isi": "nanti telat"},
        ),
        (
            [kirim_pesan],
            "kirim pesan halo ke Budi",
            "kirim_pesan",
            {"penerima": "Budi", "isi": "halo"},
        ),
        ([cek_stok], "berapa stok kopi susu?", "cek_stok", {"nama_produk": "kopi susu"}),
        ([get_order_status], "where is my order #42?", "get_order_status", {"order_id": "42"}),
        ([get_order_status], "status pesanan ORD-99?", "get_order_status", {"order_id": "ORD-99"}),
    ],
)
def test_any_tool(tools: list[BaseTool], text: str, name: str, args: dict[str, object]) -> None:
    assert calls_for(text, tools) == [(name, args)]


def test_independent_wishes_become_parallel_calls() -> None:
    text = "cek cuaca di Paris lalu kirim email ke a@b.co isi 'hai' dan berapa 2 + 3?"
    expected = [*weather("Paris"), *email("a@b.co", "Hai", "hai"), ("add", {"a": 2, "b": 3})]
    assert calls_for(text, OFFICE) == expected


HI, BYE = email("a@x.co", "Hi", "hi"), email("b@y.co", "Bye", "bye")
LUNCH = [
    *email("a@x.co", "Lunch at 12", "lunch at 12"),
    *email("b@y.co", "Lunch at 12", "lunch at 12"),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Send an email to a@x.co and one to b@y.co: lunch at 12", LUNCH),
        ("Send an email to a@x.co and another one to b@y.co saying lunch at 12", LUNCH),
        ("Email Ann at a@x.co and Ben at b@y.co: lunch at 12", LUNCH),
        ("Kirim email ke a@x.co dan satu lagi ke b@y.co: lunch at 12", LUNCH),
        ("Send an email to a@x.co: hi, and one to b@y.co: bye", [*HI, *BYE]),
        ("Send an email to a@x.co saying hi and one to b@y.co saying bye", [*HI, *BYE]),
        ("Email a@x.co about hi and b@y.co about bye", [*HI, *BYE]),
        ("Email a@x.co: hi. Email b@y.co: bye.", [*HI, *BYE]),
        ("Kirim email ke a@x.co: hi, dan ke b@y.co: bye", [*HI, *BYE]),
        ("Kirim email ke a@x.co isi hi dan kirim email ke b@y.co isi bye", [*HI, *BYE]),
        (
            "Check the weather in Solo and email a@x.co: hi, b@y.co: bye",
            [*weather("Solo"), *HI, *BYE],
        ),
        ("Email a@x.co: hi, and check the weather in Solo", [*HI, *weather("Solo")]),
        ("Kirim email ke a@x.co bahwa hi, dan cek cuaca di Solo", [*HI, *weather("Solo")]),
        ("Tell me the weather in Solo, then email a@x.co that hi", [*weather("Solo"), *HI]),
        ("Kabari aku cuaca di Solo dan kirim email ke a@x.co: hi", [*weather("Solo"), *HI]),
    ],
)
def test_two_orders_in_one_sentence(text: str, expected: Calls) -> None:
    assert calls_for(text, OFFICE) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Email a@x.co: please check the weather in Solo",
        "Email a@x.co: bring your umbrella and check the weather in Solo",
        "Email a@x.co that b@y.co and c@z.co are away",
        "Email a@x.co: write to b@y.co and send one to c@z.co",
    ],
)
def test_words_for_somebody_else_are_no_orders(text: str) -> None:
    assert [name for name, _ in calls_for(text, OFFICE)] == ["send_email"]


@pytest.mark.parametrize("text", ["Send an email to a@x.co and one to b@y.co", "email a@x.co"])
def test_an_order_without_words_is_asked_for_them(text: str) -> None:
    reply = ask([HumanMessage(text)], OFFICE)

    assert not reply.tool_calls
    assert "I still need" in reply.text or "masih perlu" in reply.text


def test_the_same_wish_twice_is_one_call() -> None:
    assert calls_for("cuaca di Paris dan cuaca di Paris", OFFICE) == weather("Paris")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "halo",
        "terima kasih banyak",
        "siapa presiden Indonesia?",
        "buat puisi tentang laut",
        "nama saya Budi",
        "email saya budi@x.io",
        "jangan kirim email ke bob@x.io",
        "please do not send an email to bob@x.io",
        "kirim email",
        "cuaca?",
        "apa saja yang bisa kamu lakukan?",
        "12345",
        "!!!",
    ],
)
def test_no_call(text: str) -> None:
    assert calls_for(text, OFFICE) == []


def test_a_refused_wish_does_not_stop_another_one() -> None:
    text = "cek cuaca di Bandung tapi jangan kirim email ke bob@x.io"
    assert calls_for(text, OFFICE) == weather("Bandung")


@pytest.mark.parametrize("question", ["apa yang bisa kamu lakukan?", "what can you do?"])
def test_every_listed_example_really_calls_its_tool(question: str) -> None:
    for tool in EVERYTHING:
        listed = Dialogue([tool]).say(question).text
        example = listed.partition("“")[2].partition("”")[0]
        assert [name for name, _ in calls_for(example, [*OFFICE, tool])] == [tool.name], example


def test_values_that_break_the_schema_are_asked_for() -> None:
    answer = ask([HumanMessage("buat tiket 'Login' prioritas=9")], OFFICE)
    assert not answer.tool_calls
    assert "`priority` (low / medium / high)" in answer.text
