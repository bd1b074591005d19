"""Servers that send the key elsewhere. There is an elsewhere: it must never hear of us."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from chaos.behaviour import Body, Plan, behaviour, broken, register
from support.fake_server import FakeServer, redirect, respond

if TYPE_CHECKING:
    from collections.abc import Iterator


def _elsewhere(status: int, body: Body) -> Plan:
    received: list[object] = []

    @contextmanager
    def servers() -> Iterator[str]:
        with FakeServer(body.stream(body.data)) as other, FakeServer(redirect(f"{other.url}/v1", status)) as server:
            yield server.url
            assert server.accepted == 1
            received.extend(other.requests)
            received.extend(["a connection"] * other.accepted)

    return Plan([], frozenset({"invalid_request"}), at=servers, requests=None, decoys=[received])


for _status in (301, 302, 303, 307, 308):
    register(f"{_status} to another server", __name__, "V5, V15, G16, R15", partial(_elsewhere, _status))

TARGETS = {
    "itself": "/v1/again",
    "another port": "http://127.0.0.1:1/v1",
    "a script": "javascript:alert(1)",
    "a file": "file:///etc/passwd",
    "no address": "http://[::1",
    "an address with a password": "http://user:secret@127.0.0.1:1/",
    "nowhere": "",
}


def _to(target: str, body: Body) -> Plan:
    return broken([], redirect(target), kinds=("invalid_request",))


for _name, _target in TARGETS.items():
    register(f"redirected to {_name}", __name__, "V5, R17", partial(_to, _target))


@behaviour("V5")
def a_refresh_header(body: Body) -> Plan:
    page = respond(200, b"<html></html>", {"Refresh": "0; url=http://127.0.0.1:1/", "Content-Type": "text/html"})
    return broken([], page, kinds=("invalid_request",))
