import pytest
from hypothesis import given
from hypothesis import strategies as st

from zul.domain.errors import UnsafePathError
from zul.domain.plan import FileChange, FilePlan


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../x", "a/../x", "a/./x", "a//x", "a/", ".", "..", "a\\b", "C:x", "a\0b"],
)
def test_paths_that_leave_the_project_are_refused(path: str) -> None:
    with pytest.raises(UnsafePathError, match="keluar dari folder proyek"):
        FileChange(path, b"")


@pytest.mark.parametrize("paths", [("a", "a"), ("a", "A"), ("a", "a/b"), ("A/b", "a", "a-c")])
def test_paths_that_clash_on_some_system_are_refused(paths: tuple[str, ...]) -> None:
    with pytest.raises(UnsafePathError, match="bertabrakan"):
        FilePlan(tuple(FileChange(path, b"") for path in paths))


def test_a_plan_is_sorted_whatever_the_order_it_was_found_in() -> None:
    files = (FileChange("b", b""), FileChange("a/c", b""), FileChange("a.b", b""))
    assert FilePlan(files) == FilePlan(files[::-1])
    assert FilePlan(files).paths == ("a.b", "a/c", "b")


def test_the_digest_sees_path_content_and_executable_bit() -> None:
    plans = [
        FilePlan((FileChange("a", b"1"),)),
        FilePlan((FileChange("b", b"1"),)),
        FilePlan((FileChange("a", b"2"),)),
        FilePlan((FileChange("a", b"1", executable=True),)),
        FilePlan((FileChange("a", b"1"), FileChange("b", b""))),
    ]
    assert len({plan.digest for plan in plans}) == len(plans)


@given(st.text(max_size=30))
def test_whatever_is_accepted_stays_below_the_project(path: str) -> None:
    try:
        FileChange(path, b"")
    except UnsafePathError:
        return
    depth = 0
    for part in path.split("/"):
        assert part not in {"", ".", ".."}
        depth += 1
    assert depth > 0
