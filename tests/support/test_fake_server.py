"""The fake server is itself an instrument: these tests calibrate it with plain sockets."""

from __future__ import annotations

import http.client
import socket
import threading
from contextlib import closing

import pytest

from support.fake_server import (
    FakeServer,
    answer,
    close,
    drip,
    hold,
    redirect,
    refused_port,
    reset,
    respond,
    sse_text,
    stream,
    unanswered_port,
)


def connect(server: FakeServer) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)


def ask(connection: http.client.HTTPConnection, body: str = "{}") -> http.client.HTTPResponse:
    connection.request("POST", "/v1/chat/completions", body, {"Authorization": "Bearer k"})
    return connection.getresponse()


def test_a_request_is_recorded_and_answered_in_the_order_of_the_scripts() -> None:
    with FakeServer(respond(503, {"error": "busy"}), answer("Hi")) as server:
        connection = connect(server)
        first = ask(connection, '{"model": "m"}')
        assert (first.status, first.read()) == (503, b'{"error": "busy"}')
        second = ask(connection)
        assert second.read().startswith(b"data: {") and second.status == 200
        connection.close()
        assert server.wait_closed()
    assert server.accepted == 1, "the second request used the connection of the first"
    assert server.requests[0].json == {"model": "m"}
    assert server.requests[0].path == "/v1/chat/completions"
    assert server.requests[0].headers["authorization"] == "Bearer k"


def test_a_pause_ends_when_the_test_says_so() -> None:
    gate = threading.Event()
    with FakeServer(stream(b"one", gate, b"two")) as server:
        connection = connect(server)
        response = ask(connection)
        assert response.read(3) == b"one"
        gate.set()
        assert response.read() == b"two"
        connection.close()


@pytest.mark.parametrize("script", [hold, stream(hold), stream(b"data", hold), stream(drip(b": ping\n\n"))])
def test_a_client_that_goes_is_seen_in_every_phase(script: object) -> None:
    with FakeServer(script) as server:  # type: ignore[arg-type]
        client = socket.create_connection(("127.0.0.1", server.port))
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert server.wait_requests()
        assert not server.wait_closed(0)
        client.close()
        assert server.wait_closed()


def test_a_reset_and_an_early_close_reach_the_client() -> None:
    with FakeServer(stream(sse_text("a"), reset), stream(sse_text("a"), close)) as server:
        with closing(connect(server)) as connection, pytest.raises((ConnectionResetError, http.client.IncompleteRead)):
            ask(connection).read()
        with closing(connect(server)) as connection:
            response = ask(connection)
            with closing(response), pytest.raises(http.client.IncompleteRead):
                response.read()


def test_a_redirect_names_its_target() -> None:
    with FakeServer(redirect("http://elsewhere.test/")) as server, closing(connect(server)) as connection:
        assert ask(connection).headers["Location"] == "http://elsewhere.test/"


def test_fifty_connections_are_held_at_once() -> None:
    with FakeServer(hold) as server:
        clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(50)]
        for client in clients:
            client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert server.wait_requests(50)
        assert server.open_connections == 50
        for client in clients:
            client.close()
        assert server.wait_closed()


def test_one_port_refuses_and_another_never_answers() -> None:
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", refused_port()), timeout=5)
    with unanswered_port() as port, pytest.raises(TimeoutError):
        socket.create_connection(("127.0.0.1", port), timeout=0.1)


def test_other_machines_are_out_of_reach() -> None:
    with pytest.raises(RuntimeError, match=r"tried to reach 192\.0\.2\.1"):
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    with pytest.raises(socket.gaierror):
        socket.create_connection(("example.com", 80), timeout=1)
