"""The words the demo model knows: Indonesian and English names for one concept.

Nothing here belongs to one tool. A tool that is bound later is understood through the same concepts, because its
name, its description and its parameters go through `canonical` just like the user's message.
"""

from collections.abc import Iterator
from functools import lru_cache

# Each concept is followed by every word for it; a word belongs to the first concept that lists it.
_CONCEPTS = {
    "weather": "weather cuaca forecast prakiraan ramalan climate iklim",
    "temperature": "temperature suhu temperatur",
    "rain": "rain hujan umbrella payung mendung panas dingin",
    "send": "send kirim kirimkan kirimi",
    "notify": "tell notify inform kabari beritahu kabarkan beritahukan",
    "email": "email e-mail mail surel imel emails",
    "message": "message pesan chat sms whatsapp wa",
    "reply": "reply balas jawab respond",
    "subject": "subject subjek perihal",
    "title": "title judul",
    "topic": "topic topik tema",
    "body": "body isi isinya berisi content konten",
    "text": "text teks tulisan kalimat sentence",
    "description": "description deskripsi keterangan penjelasan",
    "recipient": "recipient penerima",
    "sender": "sender pengirim",
    "to": "to ke kepada menuju into menjadi jadi",
    "from": "from dari",
    "in": "in di at pada near around dalam",
    "for": "for untuk buat",
    "about": "about tentang mengenai soal regarding terkait perihal concerning",
    "search": "search cari carikan find temukan lookup telusuri pencarian browse",
    "query": "query kueri keyword kata-kunci q",
    "question": "question pertanyaan tanya tanyakan",
    "answer": "answer jawaban",
    "calculate": "calculate hitung hitunglah compute calculator kalkulator kalkulasi math matematika arithmetic",
    "expression": "expression ekspresi formula rumus",
    "add": "add tambah tambahkan jumlahkan sum plus addition penjumlahan",
    "subtract": "subtract kurang kurangi minus selisih pengurangan",
    "multiply": "multiply kali kalikan times perkalian product-of",
    "divide": "divide bagi bagikan pembagian",
    "convert": "convert konversi konversikan tukar tukarkan exchange conversion kurs",
    "currency": "currency currencies valuta",
    "schedule": "schedule jadwal jadwalkan agenda calendar kalender",
    "meeting": "meeting rapat pertemuan",
    "event": "event acara",
    "create": "create bikin make new baru buatkan add-new",
    "delete": "delete hapus hapuskan remove buang",
    "update": "update ubah edit ganti change perbarui",
    "list": "list daftar senarai",
    "get": "get ambil fetch retrieve lihat show tampilkan check cek periksa view give berikan",
    "ticket": "ticket tiket issue",
    "time": "time jam waktu pukul clock",
    "timezone": "timezone tz",
    "date": "date tanggal tgl",
    "day": "day hari",
    "week": "week minggu pekan",
    "month": "month bulan",
    "year": "year tahun",
    "hour": "hour",
    "minute": "minute menit",
    "second": "second detik",
    "duration": "duration durasi lama",
    "start": "start mulai begin",
    "end": "end selesai akhir finish",
    "deadline": "deadline tenggat due",
    "location": "location lokasi",
    "city": "city kota town",
    "place": "place tempat",
    "country": "country negara",
    "region": "region wilayah daerah province provinsi",
    "address": "address alamat",
    "destination": "destination tujuan target",
    "origin": "origin asal source sumber",
    "document": "document dokumen doc docs documentation dokumentasi",
    "file": "file berkas",
    "folder": "folder direktori directory",
    "product": "product produk barang item",
    "order": "order pesanan",
    "price": "price harga biaya cost tarif",
    "stock": "stock stok persediaan inventory",
    "customer": "customer pelanggan client klien",
    "user": "user pengguna",
    "translate": "translate terjemah terjemahkan translation terjemahan",
    "summarize": "summarize ringkas ringkaskan summary ringkasan rangkum rangkuman summarise",
    "news": "news berita kabar",
    "remind": "remind ingatkan pengingat reminder",
    "note": "note catatan catat",
    "task": "task tugas todo pekerjaan",
    "read": "read baca bacakan",
    "write": "write tulis tuliskan",
    "open": "open buka",
    "close": "close tutup",
    "book": "book booking reservasi reserve reservation",
    "flight": "flight penerbangan pesawat",
    "hotel": "hotel penginapan",
    "room": "room kamar ruang ruangan",
    "night": "night malam",
    "person": "person people orang guest tamu peserta attendee participant",
    "passenger": "passenger penumpang",
    "quantity": "quantity jumlah amount nominal qty banyaknya",
    "number": "number nomor angka no nomer",
    "code": "code kode",
    "priority": "priority prioritas",
    "high": "high tinggi",
    "low": "low rendah",
    "medium": "medium sedang normal menengah",
    "urgent": "urgent mendesak darurat critical kritis genting",
    "language": "language bahasa",
    "unit": "unit satuan",
    "limit": "limit batas max maks maksimal maximum",
    "age": "age umur usia",
    "name": "name nama",
    "phone": "phone telepon hp telp",
    "color": "color colour warna",
    "transfer": "transfer",
    "pay": "pay bayar bayarkan payment pembayaran",
    "money": "money uang",
    "account": "account akun rekening",
    "distance": "distance jarak",
    "route": "route rute",
    "weight": "weight berat bobot",
    "height": "height tinggi-badan",
    "report": "report laporan",
    "sales": "sales penjualan",
    "employee": "employee karyawan pegawai",
    "leave": "leave cuti",
    "cancel": "cancel batal batalkan",
    "research": "research riset penelitian",
    "joke": "joke lelucon",
    "active": "active aktif",
    "tag": "tag label",
    "english": "english inggris",
    "indonesian": "indonesian indonesia",
    "japanese": "japanese jepang",
    "french": "french prancis",
    "german": "german jerman",
    "arabic": "arabic arab",
    "chinese": "chinese mandarin",
    "red": "red merah",
    "blue": "blue biru",
    "green": "green hijau",
    "yellow": "yellow kuning",
    "black": "black hitam",
    "white": "white putih",
    "small": "small kecil",
    "large": "large besar big",
    "monday": "monday senin",
    "tuesday": "tuesday selasa",
    "wednesday": "wednesday rabu",
    "thursday": "thursday kamis",
    "friday": "friday jumat",
    "saturday": "saturday sabtu",
    "sunday": "sunday ahad",
    "pending": "pending tertunda",
    "done": "done beres",
}

PHRASES = {
    ("mata", "uang"): "currency",
    ("zona", "waktu"): "timezone",
    ("time", "zone"): "timezone",
    ("kata", "kunci"): "query",
    ("beri", "tahu"): "notify",
    ("kasih", "tahu"): "notify",
    ("look", "up"): "search",
    ("tenggat", "waktu"): "deadline",
    ("libur", "kerja"): "leave",
}

RELATED = {
    "rain": ("weather",),
    "temperature": ("weather",),
    "notify": ("send", "message", "email"),
    "reply": ("send",),
    "add": ("calculate",),
    "subtract": ("calculate",),
    "multiply": ("calculate",),
    "divide": ("calculate",),
    "meeting": ("schedule", "event"),
    "event": ("schedule",),
    "question": ("answer",),
    "write": ("create",),
    "currency": ("convert",),
}
"""A concept that is asked for also hints, more weakly, at these."""

GENERIC = frozenset(
    "get create list update use run do set handle perform execute call tool agent assistant expert subagent specialist "
    "helper worker service function api ask question answer task about name text number day query".split()
)
"""Concepts that say too little to choose a tool by themselves."""

STOP_WORDS = frozenset(
    "a an the is are was were be been am do does did of and or but if then than as by on with without this that these "
    "those it its i me my we our you your he she they them his her their what which who whom when where why how can "
    "could would should will shall may might must please kindly just also too not no yes so such any all some every "
    "each other one there here now today tomorrow yesterday let us up out over have has had return returns given using "
    "yang dan atau tetapi tapi jika kalau maka adalah ialah itu ini saya aku kamu anda dia mereka kami kita apa siapa "
    "kapan mana dimana mengapa kenapa bagaimana gimana berapa bisa dapat bolehkah boleh akan harus mohon tolong silakan "
    "dong ya yah deh sih kok lah nih juga saja aja tidak bukan jangan sudah belum telah sedang lagi hari besok kemarin "
    "sekarang nanti dengan oleh sebagai secara agar supaya para sebuah suatu semua setiap lain ada mau ingin butuh perlu "
    "lalu kemudian terus serta apakah adakah tersebut via lewat melalui hasil hasilnya result per".split()
)
"""Words that carry no wish of their own."""

FILLERS = frozenset(
    "tolong mohon please kindly dong ya yah deh sih kok nih lah bisa bisakah boleh bolehkah can could would you kamu "
    "anda sekarang now today hari ini besok tomorrow saja aja juga also lagi again just saya aku i me want need would "
    "like mau ingin butuh perlu segera cepat pls plz tadi itu this the a an sebuah suatu untuk for saat kini currently "
    "lalu kemudian then terus dan and dengan with bro kak min nanti malam pagi siang sore tonight so jadi there new baru "
    "is are what how apa bagaimana gimana berapa whats hows do does know tahu oh oke ok okay hai halo hi hello hey".split()
)
"""Words that may stand around a value without being part of it."""

NUMBER_WORDS = {
    word: number
    for number, words in enumerate(
        "nol zero,satu one,dua two,tiga three,empat four,lima five,enam six,tujuh seven,delapan eight,sembilan nine,"
        "sepuluh ten,sebelas eleven".split(",")
    )
    for word in words.split()
}
MULTIPLIERS = {
    "k": 10**3, "rb": 10**3, "ribu": 10**3, "thousand": 10**3, "jt": 10**6, "juta": 10**6, "million": 10**6,
    "miliar": 10**9, "milyar": 10**9, "billion": 10**9,
}  # fmt: skip

CURRENCIES = {
    "usd": "USD", "dolar": "USD", "dollar": "USD", "dollars": "USD", "idr": "IDR", "rupiah": "IDR", "rp": "IDR",
    "eur": "EUR", "euro": "EUR", "euros": "EUR", "jpy": "JPY", "yen": "JPY", "gbp": "GBP", "pound": "GBP",
    "pounds": "GBP", "poundsterling": "GBP", "sgd": "SGD", "myr": "MYR", "ringgit": "MYR", "cny": "CNY", "yuan": "CNY",
    "aud": "AUD", "cad": "CAD", "chf": "CHF", "krw": "KRW", "won": "KRW", "inr": "INR", "rupee": "INR", "thb": "THB",
    "baht": "THB", "sar": "SAR", "riyal": "SAR", "hkd": "HKD", "nzd": "NZD", "btc": "BTC", "$": "USD", "€": "EUR",
    "£": "GBP", "¥": "JPY",
}  # fmt: skip

ZONES = {
    "utc": "UTC", "gmt": "UTC", "wib": "Asia/Jakarta", "wita": "Asia/Makassar", "wit": "Asia/Jayapura",
    "jakarta": "Asia/Jakarta", "bandung": "Asia/Jakarta", "surabaya": "Asia/Jakarta", "yogyakarta": "Asia/Jakarta",
    "makassar": "Asia/Makassar", "bali": "Asia/Makassar", "denpasar": "Asia/Makassar", "jayapura": "Asia/Jayapura",
    "tokyo": "Asia/Tokyo", "singapore": "Asia/Singapore", "singapura": "Asia/Singapore", "london": "Europe/London",
    "paris": "Europe/Paris", "berlin": "Europe/Berlin", "sydney": "Australia/Sydney", "dubai": "Asia/Dubai",
    "seoul": "Asia/Seoul", "new york": "America/New_York", "los angeles": "America/Los_Angeles",
    "san francisco": "America/Los_Angeles", "sf": "America/Los_Angeles",
}  # fmt: skip

COUNTRIES = frozenset(
    "indonesia malaysia singapore singapura japan jepang france prancis germany jerman italy italia spain spanyol "
    "australia canada kanada usa us uk england inggris india china thailand vietnam netherlands belanda brazil mexico".split()
)

MONTHS = {
    name: number
    for number, names in enumerate(
        "januari january jan,februari february feb,maret march mar,april apr,mei may,juni june jun,juli july jul,"
        "agustus august agu aug,september sep,oktober october okt oct,november nov,desember december des dec".split(
            ","
        ),
        start=1,
    )
    for name in names.split()
}

YES = frozenset("ya yes true benar iya aktif on y betul yup yep".split())
NO = frozenset("tidak no false bukan nonaktif off n salah enggak nggak gak without tanpa".split())

_PREFIXES = (
    "meng",
    "meny",
    "mem",
    "men",
    "me",
    "di",
    "ber",
    "ter",
    "peng",
    "pem",
    "pen",
    "per",
    "pe",
)
_ELIDED = {"meng": "k", "meny": "s", "mem": "p", "men": "t", "peng": "k", "pem": "p", "pen": "t"}
_SUFFIXES = ("nya", "lah", "kah", "kan", "an", "i", "'s", "’s", "es", "s", "ing", "ed")
_SHORTEST_STEM = 3

_INDEX: dict[str, str] = {}
for _concept, _words in _CONCEPTS.items():
    for _word in _words.split():
        _INDEX.setdefault(_word, _concept)
_INDEX.update(dict.fromkeys((w for w in CURRENCIES if w.isalpha()), "currency"))


def _without_suffix(word: str) -> Iterator[str]:
    yield word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            yield word[: -len(suffix)]


def _stems(word: str) -> Iterator[str]:
    yield from _without_suffix(word)
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= _SHORTEST_STEM:
            rest = word[len(prefix) :]
            yield from _without_suffix(rest)
            if prefix in _ELIDED:
                yield from _without_suffix(_ELIDED[prefix] + rest)


@lru_cache(maxsize=8192)
def canonical(word: str) -> str:
    """Return the concept a lower-case word stands for, or the word itself in the singular."""
    if len(word) > 40:
        return word
    for stem in _stems(word):
        if stem in _INDEX:
            return _INDEX[stem]
    plural = len(word) > _SHORTEST_STEM and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if plural else word


def is_known(word: str, *, exactly: bool = False) -> bool:
    """Tell whether a lower-case word stands for a concept, itself or (unless `exactly`) by its stem."""
    return word in _INDEX or (not exactly and canonical(word) in _CONCEPTS)


def display_word(concept: str, *, indonesian: bool) -> str:
    """Return a word for `concept` that a person would type."""
    words = _CONCEPTS.get(concept, concept).split()
    return words[1] if indonesian and len(words) > 1 else words[0]
