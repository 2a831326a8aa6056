"""What may lie in a template's folder and is never part of the template.

The template is worked on in place, so caches, environments, secrets and databases gather there.
The same two lists stand in `.gitignore` and in the build settings of `pyproject.toml`; a test
keeps the three equal.
"""

import re
from fnmatch import translate

# Matched against every part of the path.
ANYWHERE = (
    "__pycache__",
    "*.py[cod]",
    "*.egg-info",
    ".venv",
    "venv",
    ".env",
    ".env.local",
    ".coverage",
    ".coverage.*",
    ".hypothesis",
    ".import_linter_cache",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".langgraph_api",
    ".idea",
    ".DS_Store",
    "Thumbs.db",
    "node_modules",
    "uv.lock",
    "*.db",
    "*.db-journal",
    "*.db-shm",
    "*.db-wal",
    "*.sqlite3",
    "*.log",
    "*.swp",
    "*~",
)

# Matched against the first part only: deeper down these are ordinary names.
AT_ROOT = ("build", "data", "dist", "htmlcov")

_ANY_PATTERN = re.compile("|".join(map(translate, ANYWHERE)))


def is_ignored(path: str) -> bool:
    """Tell whether the template leaves out `path` (relative to it, with forward slashes)."""
    parts = path.split("/")
    return parts[0] in AT_ROOT or any(map(_ANY_PATTERN.match, parts))
