"""The process that reads documents can do nothing else, whatever the libraries in it try."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

_BEGIN = "import sys; from rillet.core.attachments import extractor; sys.addaudithook(extractor._refuse);"


@pytest.mark.parametrize(
    "attempt",
    [
        "import socket; socket.socket()",
        "import socket; socket.getaddrinfo('127.0.0.1', 80)",
        "import subprocess; subprocess.Popen(['true'])",
        "import os; os.system('true')",
        "import os; os.fork()",
        "import os; os.execv('/bin/true', ['true'])",
        "open('made', 'w')",
        "open('made', 'x')",
        "open('there', 'a')",
        "open('there', 'r+')",
        "import os; os.open('made', os.O_CREAT | os.O_WRONLY)",
        "import os; os.remove('there')",
        "import shutil; shutil.rmtree('.')",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:1')",
    ],
)
def test_it_cannot(attempt: str, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("x")
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"{_BEGIN} {attempt}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "is refused here" in done.stderr
    assert done.returncode == 1
    assert [each.name for each in tmp_path.iterdir()] == ["there"]


def test_it_can_still_read_what_its_libraries_bring(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("x")
    code = f"{_BEGIN} import pypdf, cryptography.hazmat.primitives.ciphers; print(open('there').read())"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "x\n"
