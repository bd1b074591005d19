"""Answers that are over for everybody but the server."""

from __future__ import annotations

from chaos.behaviour import Body, Plan, behaviour, complete, joined, sends, then
from chaos.pace import flood
from support.fake_server import Exchange, drip, hold, reset


@behaviour("N04, N05, G8 [DONE] then silence")
def the_end_then_silence(body: Body) -> Plan:
    return complete(body, body.stream(body.data, hold))


@behaviour("N05")
def the_end_then_keep_alives(body: Body) -> Plan:
    return complete(body, body.stream(body.data, drip(body.keep_alive)))


@behaviour("N04, G8 finish then heartbeats")
def a_finish_then_keep_alives(body: Body) -> Plan:
    arrives = body.through("finish")
    return complete(body, body.stream(joined(arrives), drip(body.keep_alive)), arrives=arrives)


@behaviour("N04")
def a_finish_then_silence(body: Body) -> Plan:
    arrives = body.through("finish")
    return complete(body, body.stream(joined(arrives), hold), arrives=arrives)


@behaviour("N07")
def the_end_then_a_reset(body: Body) -> Plan:
    return complete(body, body.stream(body.data, reset))


@behaviour("N05")
def the_end_then_as_much_as_fits(body: Body) -> Plan:
    return complete(body, body.stream(body.data, flood(body.keep_alive * 8000)))


@behaviour("RFC 9112 9.6")
def the_server_has_stopped_listening(body: Body) -> Plan:
    """A half-closed connection: what it says still counts."""
    return complete(body, then(stop_reading, sends(body.head(f"Content-Length: {len(body.data)}"), body.data)))


def stop_reading(exchange: Exchange) -> None:
    """Shut the receiving direction."""
    exchange.stop_reading()


@behaviour("RFC 9112 9.6")
def the_server_has_stopped_talking_but_listens(body: Body) -> Plan:
    return complete(body, then(sends(body.head(), body.data), lambda exchange: exchange.stop_writing(), hold))
