"""The README's example is a program: it is taken from there and run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

from support.fake_server import FakeServer, answer, sse_end, sse_tool_call, stream

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
DRIVER = """
from PySide6.QtCore import QTimer
def look():
    if len(view.history()) == 2 and not view.composer.isBusy():
        print([message.text for message in view.history()])
        app.quit()
timer = QTimer()
timer.timeout.connect(look)
timer.start(5)
view.composer.setText("Hi")
view.composer.send()
"""


def test_the_embedding_example_chats() -> None:
    match = re.search(r"(?m)^    from PySide6\.QtWidgets import QApplication\n(?:    .*\n|\n)+", README)
    assert match is not None
    example = textwrap.dedent(match.group())
    assert len([line for line in example.splitlines() if line.strip()]) <= 12
    with FakeServer(answer("Hello", " you")) as server:
        code = example.replace("http://localhost:8080", server.url).replace("app.exec()", DRIVER + "app.exec()")
        assert server.url in code
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            timeout=60,
            env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
            check=False,
        )
        assert done.stdout == "['Hi', 'Hello you']\n", done.stderr
        assert server.requests[0].json["messages"][0] == {"role": "system", "content": "Be brief."}


AROUND_AN_AGENT = """
from PySide6.QtWidgets import QApplication
from rillet import Answer, ChatRequest, Toolkit
from rillet.qt import LlmClient
from rillet.widgets import ChatView
app = QApplication([])
view = ChatView()

def ask_the_user(request):
    return Answer(id=request.id, ok=True)
"""


def test_the_agent_of_the_gui_thread_changes_the_plan_once_the_user_agreed(tmp_path: Path) -> None:
    match = re.search(r"(?m)^    from rillet\.qt import AgentClient\n(?:    .*\n|\n)+", README)
    assert match is not None
    *setup, run = textwrap.dedent(match.group()).strip().splitlines()
    asked = "print([message.text for message in view.history()])"
    code = "\n".join((AROUND_AN_AGENT, *setup, f"{run}.get(50)", asked))
    (tmp_path / "notes").mkdir()
    call = sse_tool_call(0, '{"path": "plan.md", "content": "tidy"}', id="c1", name="write")
    with FakeServer(stream(call, sse_end("tool_calls")), answer("Done.")) as server:
        here = f'LlmClient.localOpenAiCompatible("{server.url}/v1")'
        done = subprocess.run(
            [sys.executable, "-c", code.replace("LlmClient.openai(key)", here)],
            capture_output=True,
            text=True,
            timeout=60,
            env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
            cwd=tmp_path,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "Done." in done.stdout
    assert (tmp_path / "notes" / "plan.md").read_text(encoding="utf-8") == "tidy"


def test_the_two_commands_are_there() -> None:
    assert "python3 packaging/dev.py run" in README
    assert "python3 packaging/dev.py test" in README
    assert (Path(__file__).parents[1] / "packaging" / "dev.py").exists()


def test_every_path_of_the_reading_list_exists() -> None:
    table = README[README.index("## Reading the house") :]
    package = Path(__file__).parents[1] / "desktop" / "rillet"
    names = re.findall(r"`([\w/]+(?:\.py|/))`", table)
    assert len(names) > 20
    missing = [name for name in names if not any((base / name).exists() for base in (package, package.parent.parent))]
    assert missing == []


def test_the_agent_example_calls_its_tool() -> None:
    match = re.search(r"(?m)^    import asyncio\n    from rillet import Agent(?:.*\n(?:    .*\n|\n)+)", README)
    assert match is not None
    example = textwrap.dedent(match.group())
    call = sse_tool_call(0, '{"city": "Chennai"}', id="c1", name="get_weather")
    with FakeServer(stream(call, sse_end("tool_calls")), answer("It is sunny.")) as server:
        code = example.replace("http://localhost:8080", server.url)
        assert server.url in code
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith(("tool_result", "text"))] == [
        "tool_result get_weather",
        "text It is sunny.",
    ]
    assert lines[-1].strip() == "done"
