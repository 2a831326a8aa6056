"""The documents of the repository: in both languages the same, and true."""

import re
from pathlib import Path

import pytest

from tests.commands import ROOT
from zul.infrastructure.packaged_template import PackagedTemplate

ENGLISH = (ROOT / "README.md").read_text("utf-8")
INDONESIAN = (ROOT / "README.id.md").read_text("utf-8")
OF_A_PROJECT = (ROOT / "src" / "zul" / "templates" / "hexa" / "README.md").read_text("utf-8")

RECORDS = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))
PARTS = ["Context", "Options", "Choice", "Consequence"]
ONE_PAGE = 60  # lines

# In both languages the same number of: headings of each level, points of lists, rows of tables,
# links and pictures.
STRUCTURE = {
    "headings": r"^(#+) ",
    "points": r"^(-|\d\.) ",
    "rows": r"^(\|)",
    "links": r"\]\(((?!README)[^)]+)\)",
    "blocks": r"^ *(```\w*)$",
}


@pytest.mark.parametrize("part", STRUCTURE)
def test_both_languages_have_the_same_structure(part: str) -> None:
    english, indonesian = (
        re.findall(STRUCTURE[part], text, re.MULTILINE) for text in (ENGLISH, INDONESIAN)
    )
    assert english == indonesian != []


def test_both_languages_have_the_same_commands_but_for_what_is_said_to_the_agent() -> None:
    def commands(text: str) -> list[str]:
        blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
        lines = [line.strip() for block in blocks for line in block.splitlines()]
        return [re.sub(r'"message": "[^"]+"', '"message": "…"', line) for line in lines]

    assert commands(ENGLISH) == commands(INDONESIAN) != []


def test_every_paragraph_has_its_translation() -> None:
    def paragraphs(text: str) -> int:
        return len(re.split(r"\n\s*\n", text.strip()))

    assert paragraphs(ENGLISH) == paragraphs(INDONESIAN)


@pytest.mark.parametrize(
    "document", [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")], ids=lambda path: path.name
)
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text("utf-8"))
    assert [target for target in targets if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("record", RECORDS, ids=lambda path: path.stem)
def test_a_decision_is_one_page_in_the_same_four_parts(record: Path) -> None:
    text = record.read_text("utf-8")
    assert re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE) == PARTS
    assert text.startswith(f"# {record.name[:4]} ")
    assert len(text.splitlines()) <= ONE_PAGE


def test_the_list_of_decisions_is_complete_and_has_their_titles() -> None:
    index = (ROOT / "docs" / "adr" / "README.md").read_text("utf-8")
    listed = re.findall(r"^\| \[(\d{4})\]\(([^)]+)\) \| (.+) \|$", index, re.MULTILINE)
    titles = [record.read_text("utf-8").partition("\n")[0] for record in RECORDS]
    assert listed == [
        (record.name[:4], record.name, title.removeprefix(f"# {record.name[:4]} "))
        for record, title in zip(RECORDS, titles, strict=True)
    ]


@pytest.mark.parametrize("home", [ROOT, ROOT / "src" / "zul" / "templates" / "hexa"])
def test_every_path_that_a_map_names_is_there(home: Path) -> None:
    text = (home / "ARCHITECTURE.md").read_text("utf-8")
    named = re.findall(r"`((?:src|tests|docs)/[\w./-]+)`", text)
    assert [path for path in named if not (home / path).exists()] == []
    assert named != []


def test_the_map_of_a_project_has_the_ten_files_it_promises() -> None:
    _, _, rest = OF_A_PROJECT.partition("These ten")
    named = re.findall(r"^\| `([^`]+)` \|", rest.partition("[ARCH")[0], re.MULTILINE)
    assert len(named) == 10
    paths = PackagedTemplate().load("hexa").files.paths
    made_at_the_first_start = {".env"}
    missing = [name for name in named if not any(path.startswith(name) for path in paths)]
    assert set(missing) <= made_at_the_first_start


def test_the_number_of_files_is_about_what_the_documents_say() -> None:
    paths = PackagedTemplate().load("hexa").files.paths
    sources = [path for path in paths if path.startswith("src/")]
    said_to_be_a_third = ("src/interface/playground/page/", "src/infrastructure/AI/llm/demo/")
    for document in (ENGLISH, INDONESIAN, OF_A_PROJECT):
        assert re.search(r"(about|sekitar) 450", document)
    assert abs(len(paths) - 450) <= 25
    assert len([path for path in paths if path.startswith("tests/")]) > len(paths) / 3
    third = [path for path in sources if path.startswith(said_to_be_a_third)]
    assert 0.28 < len(third) / len(sources) < 0.4


def test_the_guarantees_are_the_same_here_and_in_a_project() -> None:
    page = Path("docs", "guarantees.md")
    of_a_project = ROOT / "src" / "zul" / "templates" / "hexa" / page
    assert (ROOT / page).read_text("utf-8") == of_a_project.read_text("utf-8")
