"""The examples that the README points to run as they stand, each against a server that says what it should."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.fake_server import FakeServer, sse, sse_end, sse_text, sse_tool_call, sse_usage, stream

if TYPE_CHECKING:
    from support.fake_server import Script

EXAMPLES = Path(__file__).parent / "examples"


def run(
    name: str, folder: Path, *runs: tuple[str, ...], scripts: tuple[Script, ...], typed: str = ""
) -> list[list[str]]:
    """The lines that each run of an example prints, with these arguments behind address and model."""
    printed = []
    with FakeServer(*scripts) as server:
        for arguments in runs:
            command = [sys.executable, "-W", "error", str(EXAMPLES / name), f"{server.url}/v1", "fake-1", *arguments]
            done = subprocess.run(
                command, cwd=folder, input=typed, capture_output=True, encoding="utf-8", timeout=60, check=False
            )
            assert (done.returncode, done.stderr) == (0, "")
            printed.append(done.stdout.splitlines())
        assert len(server.requests) == len(scripts), "no script is left over"
    return printed


def said(text: str) -> Script:
    return stream(sse_text(text), sse_end("stop")[: -len(sse("[DONE]"))], sse_usage(3, 2), sse("[DONE]"))


def test_every_example_is_tested_and_pointed_to() -> None:
    names = {file.name for file in EXAMPLES.glob("*.py")}
    assert names == {"files.py", "hello.py", "memory.py", "weather.py"}
    readme = (EXAMPLES.parents[1] / "README.md").read_text(encoding="utf-8")
    assert [name for name in names if f"tests/examples/{name}" not in readme] == []


def test_hello(tmp_path: Path) -> None:
    [lines] = run("hello.py", tmp_path, (), scripts=(stream(sse_text("Hel"), sse_text("lo!"), sse_end()),))
    assert lines == ["Hello!", "done after 1 turn"]


def test_weather(tmp_path: Path) -> None:
    call = sse_tool_call(0, '{"city": "Chennai"}', id="c1", name="get_weather")
    scripts = (stream(call, sse_end("tool_calls")), said("It is sunny in Chennai."))
    [lines] = run("weather.py", tmp_path, (), scripts=scripts)
    assert lines == [
        "calling get_weather with {'city': 'Chennai'} …",
        "it says: sunny in Chennai",
        "It is sunny in Chennai.",
    ]


def test_memory(tmp_path: Path) -> None:
    first, second = run("memory.py", tmp_path, ("I am Ann.",), ("Who?",), scripts=(said("Hi."), said("Ann.")))
    assert first == ["5 tokens so far", "Hi.", "2 messages are remembered"]
    assert second == ["5 tokens so far", "Ann.", "4 messages are remembered"]


@pytest.mark.parametrize(("typed", "is_written"), [("yes\n", True), ("no\n", False)])
def test_files(tmp_path: Path, typed: str, *, is_written: bool) -> None:
    call = sse_tool_call(0, '{"path": "rivers.txt", "content": "Rhine\\n"}', id="c1", name="write")
    scripts = (stream(call, sse_end("tool_calls")), said("Done."))
    [lines] = run("files.py", tmp_path, (str(tmp_path), "A river."), scripts=scripts, typed=typed)
    assert lines[0] == "Change rivers.txt?"
    assert "+Rhine" in lines
    assert lines[-1] == "Yes or no? Done."
    assert (tmp_path / "rivers.txt").exists() == is_written
