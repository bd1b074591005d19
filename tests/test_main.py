"""The command ``rillet`` decides before it loads anything."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest

import rillet
from rillet.__main__ import main
from rillet.core.attachments.caps import Caps
from rillet.core.attachments.extractor import Order
from rillet.core.config.paths import paths
from rillet.core.tools.files.search import Search

if TYPE_CHECKING:
    from pathlib import Path


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"rillet {rillet.__version__}\n"


@pytest.mark.parametrize(
    "argument", ["--frobnicate", "rillet://mcp/install?name=x&config=e30", "rillet://new?q=x", "mcp.json"]
)
def test_an_unknown_option_and_a_link_are_refused(argument: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([argument])
    assert caught.value.code == 2
    assert argument in capsys.readouterr().err


def test_a_question_goes_to_the_terminal_program(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, ...]] = []

    def ask(question: tuple[object, ...]) -> int:
        asked.append(question)
        return 4

    def question(*fields: object) -> tuple[object, ...]:
        return fields

    monkeypatch.setitem(sys.modules, "rillet.app.cli", cast(Any, SimpleNamespace(ask=ask, Question=question)))
    assert main(["--ask", "Why?", "--file", "a.txt", "--file", "b.png", "--model", "m", "--json"]) == 4
    assert asked == [("Why?", ["a.txt", "b.png"], "m", True)]


def test_a_file_without_a_question_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--file", "a.txt"])
    assert caught.value.code == 2
    assert "--ask" in capsys.readouterr().err


def test_an_address_goes_to_the_doctor_who_needs_no_qt(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[tuple[str, str | None]] = []

    def diagnose(target: str, model: str | None) -> int:
        called.append((target, model))
        return 1

    monkeypatch.setitem(sys.modules, "rillet.app.doctor", cast(Any, SimpleNamespace(diagnose=diagnose)))
    assert main(["--doctor", "api.example.com", "--model", "m"]) == 1
    assert called == [("api.example.com", "m")]
    code = "import sys, rillet.app.doctor; print('PySide6' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"


def test_without_arguments_the_window_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rillet.app.main", cast(Any, SimpleNamespace(main=lambda instance, log: 7)))
    assert main([]) == 7
    assert paths().log.read_text(encoding="utf-8").endswith(" ended\n")


def test_a_start_claims_its_place_before_there_is_a_loop_that_waiting_could_hold_up() -> None:
    code = (
        "import sys; from rillet.app.instance import Instance; from PySide6.QtCore import QCoreApplication\n"
        "def claim(): print(QCoreApplication.instance(), {'asyncio', 'PySide6.QtWidgets'} & set(sys.modules))\n"
        "Instance.claim = claim; from rillet.__main__ import main; sys.exit(main([]))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "None set()\n"


def test_a_start_that_fails_leaves_its_reason_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_instance: object, _log: object) -> int:
        raise KeyError("a canary")

    monkeypatch.setitem(sys.modules, "rillet.app.main", cast(Any, SimpleNamespace(main=fail)))
    with pytest.raises(KeyError):
        main([])
    kept = paths().log.read_text(encoding="utf-8")
    assert "it could not go on\nKeyError\n" in kept
    assert "test_main.py" in kept.splitlines()[-1]
    assert "canary" not in kept


def test_the_local_server_is_reached_without_qt_httpx_or_asyncio() -> None:
    code = (
        "import sys; from rillet.__main__ import main; code = main(['--local-server']); "
        "loaded = {'PySide6', 'httpx', 'asyncio', 'argparse', 'xllamacpp'} & set(sys.modules); "
        "print(code, loaded, file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    assert result.stderr.strip() == "0 set()"


def test_a_search_is_reached_without_qt_httpx_or_asyncio(tmp_path: Path) -> None:
    code = (
        "import sys; from rillet.__main__ import main; code = main(['--search']); "
        "loaded = {'PySide6', 'httpx', 'asyncio', 'argparse'} & set(sys.modules); "
        "print(code, loaded, file=sys.stderr)"
    )
    (tmp_path / "x.py").touch()
    search = Search(root=str(tmp_path), private=(), path=".", pattern="*.py", by_line=False, limit=1)
    result = subprocess.run([sys.executable, "-c", code], input=search.to_json(), capture_output=True, check=True)
    assert result.stderr.decode().strip() == "0 set()"
    assert result.stdout.splitlines()[0] == b'{"path": "x.py"}'


def test_the_readers_of_documents_and_folders_are_reached_without_qt_httpx_or_asyncio(tmp_path: Path) -> None:
    (tmp_path / "x.py").touch()
    orders = {
        "--extract": msgspec.json.encode(Order("a.txt", Caps())) + b"\nhello",
        "--list-folder": msgspec.json.encode(str(tmp_path)) + b"\n",
    }
    said = {
        "--extract": b'{"text":"hello","kind":"text","done":true}\n',
        "--list-folder": b'[["x.py",0,false,""]]\nnull\n',
    }
    for entrance, order in orders.items():
        code = (
            f"import sys; from rillet.__main__ import main; code = main(['{entrance}']); "
            "loaded = {'PySide6', 'httpx', 'asyncio', 'argparse', 'pypdf'} & set(sys.modules); "
            "sys.stdin = None; sys.exit(str((code, loaded)) if code or loaded else 0)"
        )
        result = subprocess.run([sys.executable, "-c", code], input=order, capture_output=True, check=False, timeout=60)
        assert (result.returncode, result.stderr) == (0, b"")
        assert result.stdout == said[entrance]


@pytest.mark.skipif(sys.platform == "win32", reason="its pipes are those of POSIX")
def test_a_warden_is_reached_without_qt_httpx_or_asyncio() -> None:
    code = (
        "import os, sys; from rillet.__main__ import main; control, status = os.pipe(), os.pipe(); "
        "code = main(['--warden', str(control[0]), str(status[1]), 'true']); "
        "told = os.read(status[0], 99).decode().split(); "
        "loaded = {'PySide6', 'httpx', 'asyncio', 'argparse'} & set(sys.modules); "
        "sys.exit((code, told[0], told[2:], loaded) != (0, 'process', ['started', 'exit', '0'], set()))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
