"""The child of ``rillet --local-server``: llama.cpp serving one model on loopback, nothing else.

Runs in a process of its own, because loading a model holds the interpreter's lock for the whole time and a crash of
native code must not take the window along. Knows nothing of Qt, of providers, or of how it is restarted. Above: the
standard library and ``xllamacpp``. Below: ``local_process`` is the parent's end of the same three pipes.

    stdin    one JSON line {"model": path, "alias": name, "api_key": key, "template": text}, then nothing until the end
    stdout   one JSON line {"url": "http://127.0.0.1:port"} once requests are answered
    stderr   what went wrong

It ends when stdin closes, however its parent ended. On POSIX that holds while the model is still loading, too.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xllamacpp

STDIN, STDOUT, STDERR = range(3)
CONTEXT = 4096
"""Tokens. Also caps how long a prompt can be worked on after its client has gone: llama.cpp does not notice before."""
LONGEST_ANSWER = 1024
"""Tokens, unless a request asks for another limit."""


def main() -> int:
    """Serve until stdin closes. Returns 1 when the model cannot be served, with the reason on stderr."""
    ready = _claim_stdout()
    config = _read_line()
    if not config:
        return 0
    _end_with_stdin()
    try:
        server = _serve(json.loads(config))
    except (ImportError, RuntimeError) as error:
        os.write(STDERR, f"{error}\n".encode())
        return 1
    os.write(ready, json.dumps({"url": server.listening_address}).encode() + b"\n")
    os.close(ready)
    while os.read(STDIN, 1):
        pass
    os._exit(0)  # without tearing llama.cpp down, which waits for an answer in progress


def _claim_stdout() -> int:
    """Keep stdout for the ready line and send whatever native code prints there to stderr. Returns the descriptor."""
    ready = os.dup(STDOUT)
    os.dup2(STDERR, STDOUT)
    return ready


def _read_line() -> bytes:
    """Read the configuration straight from the descriptor: a windowed program on Windows has no ``sys.stdin``."""
    line = b""
    while not line.endswith(b"\n"):
        data = os.read(STDIN, 65536)
        if not data:
            return b""
        line += data
    return line


def _end_with_stdin() -> None:
    """Have the kernel end this process when the other end of stdin closes.

    A thread that waits for the end of stdin could not act on it: the engine keeps the interpreter's lock while it
    loads. The default action of SIGIO needs no interpreter. Windows has nothing like it, so there the end of the parent
    is noticed once the model is loaded, within seconds.
    """
    if sys.platform == "win32":
        return
    import fcntl
    import select
    import signal

    signal.signal(signal.SIGIO, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGIO})
    fcntl.fcntl(STDIN, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(STDIN, fcntl.F_SETFL, fcntl.fcntl(STDIN, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([STDIN], [], [], 0)[0]:  # it closed before the signal was armed
        os._exit(0)


def _serve(config: dict[str, Any]) -> xllamacpp.Server:
    """Load the model and listen. Raises RuntimeError when either fails."""
    import xllamacpp  # 102 MB of native code: only here, never in the parent

    params = xllamacpp.CommonParams()
    params.model.path = config["model"]
    params.model_alias = {config["alias"]}
    params.api_keys = [config["api_key"]]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _threads()
    # The engine's defaults let any web page use the server, show a web interface, and keep 8 GiB of old prompts.
    params.cors_origins = ""
    params.ui = False
    params.endpoint_slots = False
    params.cache_ram_mib = 0
    params.verbosity = 0
    # What the model's card recommends: at the engine's own 0.8 it loses the thread within a sentence. Without a limit
    # and a penalty for repeating itself, so small a model may go round in circles until the context is full.
    params.sampling.temp = 0.2
    params.sampling.top_p = 0.9
    params.sampling.penalty_repeat = 1.1
    params.n_predict = LONGEST_ANSWER
    if config.get("template"):
        params.chat_template = config["template"]
    return xllamacpp.Server(params)


def _threads() -> int:
    """Half the cores this process may use: the engine's threads spin, and with one per core a busy machine stalls."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, cores // 2)
