"""Tells Indonesian from English by the small words both languages are full of."""

from collections.abc import Iterable
from typing import Literal

from src.infrastructure.AI.llm.demo.text import clean, read
from src.infrastructure.AI.llm.demo.words import word_set

Language = Literal["id", "en"]
DEFAULT_LANGUAGE: Language = "id"

_ENGLISH = word_set(
    """
    the a an is are was were be what what's whats which who where when why how how's do does
    did can could would will you your i i'm im my me please in at to for from and with about
    that this it of tell send find search show give hello hi hey thanks thank thx weather name
    live city today tomorrow now need want use add convert create schedule check calculate
    help good morning there not don't no yes remember should get make on her his their
    bye goodbye great nice cool awesome perfect cancel stop never mind forget later see again
    repeat menu let know night fine alright sure nope nah yo
    """
)
_INDONESIAN = word_set(
    """
    yang dan atau di ke dari untuk dengan ini itu apa apakah siapa kapan mana dimana mengapa
    kenapa bagaimana gimana berapa saya aku kamu anda tolong mohon bisa bisakah cuaca kirim
    kirimkan isi isinya subjek judul halo hai selamat pagi siang sore malam terima kasih
    makasih nama tinggal kota hari besok sekarang jam rapat bahwa kepada lalu kemudian cari
    carikan hitung buat buatkan jadwalkan kalau dong ya tidak jangan bantuan bantu cek pada
    tentang ingat ubah tambah surel pesan sudah belum ada adalah mau ingin juga saja
    """
)


def detect_language(texts: Iterable[str]) -> Language:
    """Return the language of the first text that shows one; Indonesian when none does."""
    for text in texts:
        words = [token.word for token in read(clean(text)).tokens if token.kind == "word"]
        english = sum(word in _ENGLISH for word in words)
        indonesian = sum(word in _INDONESIAN for word in words)
        if english != indonesian:
            return "en" if english > indonesian else "id"
    return DEFAULT_LANGUAGE
