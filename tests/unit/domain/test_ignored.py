import pytest

from zul.domain.ignored import is_ignored


@pytest.mark.parametrize(
    "path",
    [
        "__pycache__", "src/__pycache__/a.cpython-311.pyc", "a.pyc", ".venv/bin/python", ".env",
        ".env.local", "data/app.db", "x/app.db-wal", ".pytest_cache", ".DS_Store", "src/.DS_Store",
        "zul_hexa_template.egg-info/PKG-INFO",
        "uv.lock", "node_modules/a/b.js", "build/x", "dist/x",
    ],
)  # fmt: skip
def test_what_gathers_in_a_working_folder_is_left_out(path: str) -> None:
    assert is_ignored(path)


@pytest.mark.parametrize(
    "path",
    [
        ".gitignore", ".env.example", ".dockerignore", ".github/workflows/ci.yml", ".gitattributes",
        ".pre-commit-config.yaml", "src/__init__.py", "src/data/__init__.py",
        "src/build/a.py",
        "environment.py", "Dockerfile", "docs/data.md",
    ],
)  # fmt: skip
def test_the_project_itself_is_not(path: str) -> None:
    assert not is_ignored(path)
