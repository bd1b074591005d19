"""``rillet --ask``, run as a person or a script runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.config.paths import paths
from rillet.core.config.settings import EndpointSettings, SettingsFile
from rillet.core.providers.compatible import compatible
from support.fake_server import (
    FakeServer,
    answer,
    close,
    hold,
    refused_port,
    respond,
    sse_end,
    sse_reasoning,
    sse_text,
    sse_usage,
    stream,
)
from support.office import pdf
from support.pictures import picture

if TYPE_CHECKING:
    from pathlib import Path

    Done = subprocess.CompletedProcess[bytes]


def choose(url: str, model: str = "m") -> None:
    """Have an address chosen, as if in the window."""
    provider = compatible(f"{url}/v1", None, model)
    endpoint = EndpointSettings(provider.base_url, model, provider.style)
    SettingsFile(paths().settings).change(provider=provider.id, model=model, endpoints=(endpoint,))


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "rillet", *arguments]


def run(*arguments: str, piped: bytes | None = None) -> Done:
    with subprocess.Popen(
        command(*arguments),
        stdin=subprocess.DEVNULL if piped is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as program:
        out, said = program.communicate(piped, timeout=60)
    return subprocess.CompletedProcess(program.args, program.returncode, out, said)


def events(done: Done) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_answer_alone_is_on_standard_output() -> None:
    with FakeServer(answer("Hello", " there")) as server:
        choose(server.url)
        done = run("--ask", "Hi")
        assert server.requests[0].json["messages"] == [{"role": "user", "content": "Hi"}]
    assert (done.returncode, done.stdout, done.stderr) == (0, b"Hello there\n", b"")


@pytest.mark.parametrize(
    ("asked", "piped", "sent"),
    [("Sum up:", b"one\ntwo\n", "Sum up:\n\none\ntwo"), ("-", b"Why?\n", "Why?"), ("Hi", b"", "Hi")],
)
def test_what_is_piped_in_goes_along(asked: str, piped: bytes, sent: str) -> None:
    with FakeServer(answer("Yes")) as server:
        choose(server.url)
        assert run("--ask", asked, piped=piped).returncode == 0
        assert server.requests[0].json["messages"][0]["content"] == sent


def test_files_go_along_images_as_images(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("remember the milk")
    (tmp_path / "view.png").write_bytes(picture(4, 4))
    with FakeServer(answer("Yes")) as server:
        choose(server.url)
        done = run("--ask", "What?", "--file", str(tmp_path / "notes.md"), "--file", "-", piped=picture(4, 4))
        assert done.returncode == 0, done.stderr
        content = json.dumps(server.requests[0].json["messages"][0]["content"])
    assert "remember the milk" in content
    assert "image/png" in content


def test_a_document_goes_along_as_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "letter.pdf").write_bytes(pdf("Dear Ms Rivers"))
    with FakeServer(answer("Yes")) as server:
        choose(server.url)
        assert run("--ask", "What?", "--file", str(tmp_path / "letter.pdf")).returncode == 0
        content = server.requests[0].json["messages"][0]["content"]
    assert content == 'What?\n\n<file name="letter.pdf">\n[page 1 of 1]\nDear Ms Rivers\n\n\n</file>'


def test_what_cannot_be_read_is_a_sentence_and_exit_code_2(tmp_path: Path) -> None:
    (tmp_path / "locked.pdf").write_bytes(pdf("x", password="secret"))
    done = run("--ask", "What?", "--file", str(tmp_path / "locked.pdf"))
    assert done.returncode == 2
    assert done.stderr == b"locked.pdf is protected by a password. Save a copy without one, and attach that.\n"


def test_another_model_is_asked_for_by_its_name_or_its_providers() -> None:
    with FakeServer(answer("Yes")) as server:
        choose(server.url)
        provider = compatible(f"{server.url}/v1", None).id
        for wanted in ("org/other", f"{provider}/third", provider):
            assert run("--ask", "Hi", "--model", wanted).returncode == 0
        asked = [request.json["model"] for request in server.requests]
    assert asked == ["org/other", "third", "m"]


def test_events_are_lines_of_json_the_last_has_everything() -> None:
    with FakeServer(stream(sse_reasoning("Hm."), sse_text("Sí", " señor"), sse_usage(3, 2), sse_end())) as server:
        choose(server.url)
        done = run("--ask", "Hi", "--json")
    assert done.returncode == 0
    told = events(done)
    assert "".join(each["text"] for each in told if each["type"] == "text") == "Sí señor"
    assert {"type": "reasoning", "text": "Hm."} in told
    assert told[-1]["type"] == "done"
    assert told[-1]["text"] == "Sí señor"
    assert told[-1]["finish_reason"] == "stop"
    assert told[-1]["usage"]["completion_tokens"] == 2


def test_a_failure_is_an_event_with_what_had_come_and_exit_code_1() -> None:
    with FakeServer(stream(sse_text("half"), close)) as server:
        choose(server.url)
        done = run("--ask", "Hi", "--json")
    assert done.returncode == 1
    assert events(done)[-1]["type"] == "error"
    assert events(done)[-1]["kind"] == "network"
    assert events(done)[-1]["text"] == "half"


def test_a_refused_key_is_a_sentence_on_standard_error() -> None:
    with FakeServer(respond(401, {"error": {"message": "Incorrect API key", "code": "invalid_api_key"}})) as server:
        choose(server.url)
        done = run("--ask", "Hi")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"key" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "piped", "said"),
    [
        (["--ask", "Hi", "--file", "/nowhere/file"], None, b"cannot be read"),
        (["--ask", "Hi", "--file", "."], None, b"is a folder"),
        (["--ask", " "], None, b"no question"),
        (["--ask", "-"], b"", b"no question"),
        (["--ask", "Hi", "--model", " "], None, b"is empty"),
        (["--ask", "Hi", "--model", "local/another"], None, b"There is no model or provider another. Providers here"),
    ],
)
def test_what_cannot_be_asked_is_exit_code_2_and_asks_nobody(
    arguments: list[str], piped: bytes | None, said: bytes
) -> None:
    choose(f"http://127.0.0.1:{refused_port()}")
    done = run(*arguments, piped=piped)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr


def test_the_built_in_model_does_not_answer_to_the_name_of_another() -> None:
    done = run("--ask", "Hi", "--model", "gpt-x")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"There is no model or provider gpt-x." in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a disk that is always full")  # noqa: PTH110 (no path of ours)
def test_an_answer_that_cannot_be_written_is_told_once_and_exit_code_1() -> None:
    with FakeServer(stream(*[sse_text("more ")] * 50, hold)) as server:
        choose(server.url)
        with open("/dev/full", "wb") as full:  # noqa: PTH123 (no path of ours)
            asked = command("--ask", "Hi")
            done = subprocess.run(asked, check=False, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE)
        assert server.wait_closed()
    assert done.returncode == 1
    assert done.stderr.decode().strip() == "The answer cannot be written: No space left on device."


def test_letters_that_the_terminal_has_not_do_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    with FakeServer(answer("Belém")) as server:
        choose(server.url)
        done = run("--ask", "Hi")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"Bel\\xe9m\n", b"")


@pytest.mark.skipif(sys.platform == "win32", reason="its interrupts reach the whole console")
def test_an_interrupt_keeps_what_has_come_and_is_exit_code_130() -> None:
    with FakeServer(stream(sse_text("kept"), hold)) as server:
        choose(server.url)
        program = subprocess.Popen(
            command("--ask", "Hi"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert program.stdout is not None
        assert program.stdout.read(4) == b"kept"
        program.send_signal(signal.SIGINT)
        rest, said = program.communicate(timeout=30)
        assert server.wait_closed()
    assert (program.returncode, rest, said) == (130, b"\n", b"")


@pytest.mark.skipif(sys.platform == "win32", reason="its pipes break otherwise")
def test_a_reader_that_goes_away_ends_the_answer() -> None:
    gate = threading.Event()
    with FakeServer(stream(sse_text("first"), gate, *[sse_text("more " * 100)] * 200, hold)) as server:
        choose(server.url)
        reader, writer = os.pipe()
        program = subprocess.Popen(
            command("--ask", "Hi"), stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE
        )
        os.close(writer)
        assert os.read(reader, 5) == b"first"
        os.close(reader)
        gate.set()
        _, said = program.communicate(timeout=30)
        assert server.wait_closed()
    assert program.returncode == 1
    assert b"Traceback" not in said


def test_a_provider_without_a_usual_model_wants_one_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer(answer("never")) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        done = run("--ask", "Hi", "--model", "openai")
        assert server.requests == []
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"OpenAI has no usual model. Name one: --model openai/NAME\n"
