"""What holds for every test: only loopback, nothing of the machine's settings, Qt offscreen, coroutines run."""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import socket
import sys
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

os.environ["QT_QPA_PLATFORM"] = os.environ.get("RILLET_TEST_PLATFORM", "offscreen")  # read when Qt is imported

# A busy machine is no failure: how long an example takes says nothing about the code.
settings.register_profile("rillet", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("rillet")

# As in the program (see app/garbage): a cycle with widgets in it must not be released on the thread of an engine.
gc.disable()
_THRESHOLDS = (20_000, 10, 10)

_PATIENCE = 30_000
"""Milliseconds that a test waits at most for what should happen at once: a busy machine is no failure here either."""

_PROXY_VARIABLES = ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "FTP_PROXY")
_CERTIFICATE_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE", "REQUESTS_CA_BUNDLE")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No keys, proxies or certificates of the machine; what the program keeps goes to ``tmp_path``."""
    monkeypatch.setenv("RILLET_HOME", str(tmp_path / "rillet"))
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:")  # (nor does the desktop hear of a test)
    for name in list(os.environ):
        if name.upper() in (*_PROXY_VARIABLES, *_CERTIFICATE_VARIABLES) or name.upper().endswith("_API_KEY"):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is not of this machine does not resolve; connecting to any other address fails the test."""
    connect, connect_ex, getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def guarded(method: Callable[[socket.socket, Any], Any]) -> Callable[[socket.socket, Any], Any]:
        def call(self: socket.socket, address: Any) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(address[0]):
                self.close()
                raise RuntimeError(f"a test tried to reach {address[0]}")
            return method(self, address)

        return call

    def guarded_lookup(host: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name and not _is_loopback(name) and not _is_address(name):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return getaddrinfo(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guarded(connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guarded(connect_ex))
    monkeypatch.setattr(socket, "getaddrinfo", guarded_lookup)


@pytest.fixture
def qtbot(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> QtBot:
    """The one of pytest-qt, with patience."""
    for name in ("waitUntil", "waitSignal", "waitSignals", "waitExposed", "waitActive"):
        monkeypatch.setattr(qtbot, name, partial(getattr(qtbot, name), timeout=_PATIENCE))
    return qtbot


@pytest.fixture(scope="session", autouse=True)
def empty_clipboard() -> Iterator[None]:
    """What a test has copied goes before Python does: the offscreen platform would delete it later, and crash."""
    yield
    gui = sys.modules.get("PySide6.QtGui")
    if gui is not None and gui.QGuiApplication.instance() is not None:
        gui.QGuiApplication.clipboard().clear()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """An ``async def`` test runs on an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    asyncio.run(pyfuncitem.obj(**arguments))
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None]:
    """Collect between tests what has piled up."""
    yield
    gc.disable()
    counts = gc.get_count()
    for generation in (2, 1, 0):
        if counts[generation] > _THRESHOLDS[generation]:
            gc.collect(generation)
            return


def _is_address(host: str) -> bool:
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    return host == "localhost" or (_is_address(host) and ip_address(host.partition("%")[0]).is_loopback)
