"""Answers that are refusals: in the words of the style, of a proxy, or without any, once or again and again."""

from __future__ import annotations

from functools import partial

from chaos.behaviour import Body, Plan, behaviour, broken, complete, register, sends, then
from support.answers import error_body
from support.asking import KEY
from support.fake_server import Script, drip, hold, reset, respond

PAGE = b"<!doctype html><html><head><title>502 Bad Gateway</title></head><body>cloudflare</body></html>"
REPEATED = (429, 500, 502, 503, 504, 529)
KINDS = {
    400: "invalid_request",
    401: "auth",
    402: "rate_limit",
    403: "auth",
    405: "invalid_request",
    407: "network",
    408: "timeout",
    413: "context_length",
    418: "invalid_request",
    422: "invalid_request",
    499: "cancelled",
    501: "server",
    505: "server",
    520: "server",
}
ANY = ("auth", "invalid_request", "rate_limit", "server", "overloaded", "timeout", "network", "model_not_found")


def refusal(body: Body, status: int, message: str = "not now") -> Script:
    """A status with the body that this style's servers send."""
    return respond(status, error_body(body.style, status, message))


def _once(status: int, body: Body) -> Plan:
    return broken([], respond(status, b""), kinds=(KINDS[status], "invalid_request"))


for _status in KINDS:
    register(f"{_status} without a word", __name__, "F17", partial(_once, _status))


def _burst(status: int, body: Body) -> Plan:
    return broken([], *[refusal(body, status)] * 3, kinds=("rate_limit", "server", "overloaded", "timeout"), requests=3)


def _short_burst(status: int, body: Body) -> Plan:
    return complete(body, *[refusal(body, status)] * 2, body.stream(body.data), requests=3)


for _status in REPEATED:
    register(f"{_status} again and again", __name__, "G8 5xx bursts, G18", partial(_burst, _status))
    register(f"{_status} twice, then an answer", __name__, "G8 5xx bursts, G18", partial(_short_burst, _status))


@behaviour("F16")
def a_502_page_of_a_proxy(body: Body) -> Plan:
    page = respond(502, PAGE, {"Content-Type": "text/html"})
    return broken([], page, page, page, kinds=("server",), requests=3)


@behaviour("B94")
def a_wait_of_eleven_days(body: Body) -> Plan:
    refused = respond(429, error_body(body.style, 429, "slow down"), {"Retry-After": "999999"})
    return broken([], refused, kinds=("rate_limit", "server"))


@behaviour("B94")
def waits_that_are_none(body: Body) -> Plan:
    waits = ("-5", "soon", "nan")
    scripts = [respond(503, error_body(body.style, 503, "busy"), {"Retry-After": wait}) for wait in waits]
    return broken([], *scripts, kinds=("overloaded", "server"), requests=3)


@behaviour("G16")
def a_refusal_that_quotes_the_key(body: Body) -> Plan:
    return broken([], refusal(body, 401, f"Incorrect API key provided: {KEY}"), kinds=("auth",))


@behaviour("G16, F13")
def words_that_quote_the_key(body: Body) -> Plan:
    return broken([], respond(400, f"bad header: Bearer {KEY}", {"Content-Type": "text/plain"}), kinds=ANY)


@behaviour("G8 5xx bursts, N07")
def a_refusal_that_breaks_off(body: Body) -> Plan:
    cut = then(sends(b'HTTP/1.1 400 Bad Request\r\nContent-Length: 500\r\n\r\n{"error":'), reset)
    return broken([], cut, kinds=("invalid_request",))


@behaviour("N02")
def a_refusal_that_never_ends(body: Body) -> Plan:
    return broken([], body.stream(b'{"error":{"message":"', drip(b"x"), status=400), kinds=("invalid_request",))


@behaviour("N03")
def a_refusal_that_falls_silent(body: Body) -> Plan:
    return broken([], body.stream(b'{"error":', hold, status=403), kinds=("auth", "invalid_request"))


@behaviour("F16")
def a_login_page_instead_of_an_answer(body: Body) -> Plan:
    page = b"<!doctype html><html><title>Sign in</title><form></form></html>"
    return broken([], respond(200, page, {"Content-Type": "text/html"}), kinds=("invalid_request",))


@behaviour("F15")
def json_of_something_else(body: Body) -> Plan:
    return broken([], respond(200, {"status": "ok", "version": 3}), kinds=("invalid_request", "network"))


@behaviour("F15")
def a_refusal_under_a_200(body: Body) -> Plan:
    return broken([], respond(200, error_body(body.style, 429, "slow down")), kinds=("rate_limit", "server"))
