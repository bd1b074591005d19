"""A screen reader hears a streamed answer, and finds everything with a role and a name: over AT-SPI, on a real bus.

Needs Xvfb, D-Bus, at-spi2-core and its Python binding, and Qt's X11 libraries (``.ci/run`` installs them on Debian).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from machine import X11, missing_libraries

HERE = Path(__file__).parent
LAUNCHERS = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")
BINDING = "import gi; gi.require_version('Atspi', '2.0'); from gi.repository import Atspi"
IMPORTANT = {"push button", "toggle button", "text", "label", "panel", "table", "check box", "link", "image"}


def _missing() -> str:
    """What is not here and has to be, or ""."""
    if not sys.platform.startswith("linux"):
        return "AT-SPI is Linux's"
    programs = [name for name in ("Xvfb", "dbus-run-session", "dbus-daemon") if shutil.which(name) is None]
    if not any(Path(launcher).exists() for launcher in LAUNCHERS):
        programs.append("at-spi-bus-launcher")
    if subprocess.run(["/usr/bin/python3", "-c", BINDING], capture_output=True, check=False).returncode:
        programs.append("gir1.2-atspi-2.0 for /usr/bin/python3")
    return ", ".join([*programs, *missing_libraries(X11)])


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the reader heard and saw."""
    if missing := _missing():
        pytest.skip(f"no screen reader can be tried here: {missing}")
    launcher = next(launcher for launcher in LAUNCHERS if Path(launcher).exists())
    command = ["dbus-run-session", "--", sys.executable, str(HERE / "session.py"), launcher, "/usr/bin/python3"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    for name in ("QT_QPA_PLATFORM", "DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS", "WAYLAND_DISPLAY"):
        environment.pop(name, None)
    log = tmp_path_factory.mktemp("atspi") / "stderr.txt"  # (a pipe would wait for every child that holds it)
    with log.open("w") as errors:
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True, timeout=80, check=False
        )
    lines = done.stdout.strip().splitlines()
    assert lines, log.read_text()
    result: dict[str, Any] = json.loads(lines[-1])
    return result


def _shown(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry for entry in found["objects"] if "SHOWING" in entry["states"]]


def test_the_answer_is_heard_sentence_by_sentence_while_it_is_written(found: dict[str, Any]) -> None:
    heard = " ".join(found["heard"])
    assert heard == "Because of this. And of e.g. that too! python code block, 2 lines. Done now. Answer finished"
    assert len(found["heard"]) > 2
    assert found["heard"][0] == "Because of this."


def test_every_message_is_a_group_named_by_its_author_and_described_by_its_text(found: dict[str, Any]) -> None:
    groups = [entry for entry in _shown(found) if entry["role"] == "panel"]
    assert [group["name"] for group in groups] == [
        "Your message, 1 of 4",
        "Answer, 2 of 4",
        "Your message, 3 of 4",
        "Answer, 4 of 4",
    ]
    assert groups[2]["description"] == "Why?"
    assert groups[3]["description"].startswith("Because of **this**.")


def test_text_code_tables_and_the_field_can_be_read(found: dict[str, Any]) -> None:
    texts = [(entry["role"], entry["name"], entry["text"]) for entry in _shown(found)]
    assert ("label", "python code", 'print("code")\nprint("more")') in texts
    assert ("label", "", "Because of this. And of e.g. that too!") in texts
    assert ("text", "Message", "") in texts
    assert [name.partition(",")[0] for _, name, _ in texts if name.startswith("Table")] == ["Table"]


def test_nothing_that_can_be_reached_is_without_a_name(found: dict[str, Any]) -> None:
    reached = [entry for entry in _shown(found) if "FOCUSABLE" in entry["states"]]
    assert len(reached) > 5
    assert [entry for entry in reached if entry["role"] in IMPORTANT and not (entry["name"] or entry["text"])] == []
    buttons = [entry["name"] for entry in _shown(found) if entry["role"] in ("push button", "toggle button")]
    assert {"Send", "Copy code", "Copy message"} <= set(buttons)


def test_a_formula_is_read_as_its_source(found: dict[str, Any]) -> None:
    texts = [entry for entry in _shown(found) if entry["role"] == "label" and "link" in entry["text"]]
    assert [("x^2" in entry["text"] or "x^2" in entry["description"]) for entry in texts] == [True]
