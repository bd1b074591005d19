from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.core.tools.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A project with a few files, and links that lead out of it."""
    root = tmp_path / "project"
    for file in ("README.md", "src/app.py", "tests/test_app.py", "docs/two words.md", "docs/api/index.md", ".env"):
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text("x\n", encoding="utf-8")
    (tmp_path / "x").write_text("outside\n", encoding="utf-8")
    (root / "out").symlink_to("/etc", target_is_directory=True)
    (root / "link-to-out").symlink_to("out", target_is_directory=True)
    (root / "src" / "up").symlink_to("../..", target_is_directory=True)
    (root / "notes").symlink_to("docs", target_is_directory=True)
    return Workspace(root)
