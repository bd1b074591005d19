from __future__ import annotations

import base64
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rillet.core.tools.http_request import Endpoint, Outgoing, Parameter, redirected, write

HOME = "https://api.example.com"
FORM = "application/x-www-form-urlencoded"


def sent(args: dict[str, Any], environ: dict[str, str] | None = None, **endpoint: Any) -> Outgoing:
    endpoint = {"method": "GET", "url": f"{HOME}/x"} | endpoint
    return write(Endpoint(**endpoint), args, environ or {})


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("Oslo", "Oslo"),
        ("a/b", "a%2Fb"),
        ("a?b#c&d", "a%3Fb%23c%26d"),
        ("Tromsø", "Troms%C3%B8"),
        ("%2e%2e", "%252e%252e"),
        ("a..b", "a..b"),
        (5, "5"),
        (True, "true"),
        (["a", "b,c"], "a,b%2Cc"),
        ("\ud83d", "%EF%BF%BD"),
    ],
)
def test_an_argument_in_the_path_is_escaped(value: Any, path: str) -> None:
    assert sent({"city": value}, url=f"{HOME}/places/{{city}}/now").url == f"{HOME}/places/{path}/now"


@pytest.mark.parametrize("value", ["..", ".", "", None, "a/../b", "../x", "..\\x", "x/.", "a/..", [".."]])
def test_an_argument_cannot_leave_its_place_in_the_path(value: Any) -> None:
    with pytest.raises(ValueError, match="id"):
        sent({"id": value}, url=f"{HOME}/users/{{id}}/keys")


def test_an_argument_cannot_complete_a_step_up() -> None:
    with pytest.raises(ValueError, match="another address"):
        sent({"a": "x", "b": "."}, url=f"{HOME}/x/.{{b}}/y/{{a}}")


def test_arguments_go_where_they_are_wanted() -> None:
    request = sent(
        {"id": "7", "verbose": True, "title": "Hi", "tags": ["a"]},
        method="POST",
        url=f"{HOME}/notes/{{id}}?v=1",
        parameters=(Parameter("verbose", "query", "verbose"),),
    )
    assert request.url == f"{HOME}/notes/7?v=1&verbose=true"
    assert request.content == b'{"title":"Hi","tags":["a"]}'
    assert request.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("style", "explode", "value", "query"),
    [
        ("form", True, ["a", "b&c"], "q=a&q=b%26c"),
        ("form", False, ["a", "b,c"], "q=a,b%2Cc"),
        ("form", True, {"a": 1, "b": 2}, "a=1&b=2"),
        ("form", False, {"a": 1, "b": 2}, "q=a,1,b,2"),
        ("spaceDelimited", False, ["a", "b"], "q=a%20b"),
        ("pipeDelimited", False, ["a", "b"], "q=a%7Cb"),
        ("deepObject", True, {"a": 1, "b": "x y"}, "q[a]=1&q[b]=x%20y"),
        ("json", True, {"a": [1]}, "q=%7B%22a%22%3A%5B1%5D%7D"),
        ("form", True, "plain", "q=plain"),
        ("form", True, False, "q=false"),
    ],
)
def test_each_style_of_the_query_is_written_as_openapi_says(style: Any, explode: bool, value: Any, query: str) -> None:
    parameters = (Parameter("q", "query", "q", style, explode),)
    assert urlsplit(sent({"q": value}, parameters=parameters).url).query == query


def test_get_has_no_body_and_sends_everything_else_in_the_query() -> None:
    request = sent({"a": 1, "b": None, "c": "x"})
    assert (request.url, request.content) == (f"{HOME}/x?a=1&c=x", None)


@pytest.mark.parametrize(
    ("body", "args", "content", "media_type"),
    [
        ("json", {"a": {"b": [1, None]}}, b'{"a":{"b":[1,null]}}', "application/json"),
        ("json", {}, None, None),
        ("form", {"a": "x y", "b": [1, 2], "c": {"d": 1}}, b"a=x%20y&b=1&b=2&c=%7B%22d%22%3A1%7D", FORM),
        ("raw", {"text": "as it is\n"}, b"as it is\n", "text/plain; charset=utf-8"),
        ("raw", {"a": 1, "b": 2}, b'{"a":1,"b":2}', "text/plain; charset=utf-8"),
    ],
)
def test_a_body_is_written_as_it_should_be(
    body: Any, args: dict[str, Any], content: bytes | None, media_type: str | None
) -> None:
    request = sent(args, method="POST", body=body)
    assert (request.content, request.headers.get("content-type")) == (content, media_type)


def test_one_argument_may_be_the_whole_body() -> None:
    request = sent({"body": [1, 2]}, method="PUT", body_argument="body", media_type="application/vnd.x+json")
    assert (request.content, request.headers["content-type"]) == (b"[1,2]", "application/vnd.x+json")


def test_headers_and_cookies_are_written() -> None:
    parameters = (Parameter("trace", "header", "X-Trace"), Parameter("theme", "cookie", "theme"))
    request = sent({"trace": ["a", "b"], "theme": "d;ark"}, parameters=parameters)
    assert request.headers["x-trace"] == "a,b"
    assert request.headers["cookie"] == "theme=d%3Bark"


@pytest.mark.parametrize("value", ["a\r\nx-evil: 1", "a\0", "é"])
def test_an_argument_adds_no_header_of_its_own(value: str) -> None:
    with pytest.raises(ValueError, match="trace"):
        sent({"trace": value}, parameters=(Parameter("trace", "header", "X-Trace"),))


@pytest.mark.parametrize("name", ["Authorization", "Host", "Content-Length", "Cookie", "x-mine"])
def test_an_argument_replaces_no_header_of_the_host(name: str) -> None:
    request = sent({"h": "theirs"}, parameters=(Parameter("h", "header", name),), headers={"X-Mine": "ours"})
    assert "theirs" not in request.headers.values()


def test_variables_of_the_environment_are_filled_in_and_are_secrets() -> None:
    request = sent(
        {}, {"TOKEN": "canary-1\n", "USER": "u"}, headers={"Authorization": "Bearer ${TOKEN}", "X-User": "${USER}"}
    )
    assert request.headers["authorization"] == "Bearer canary-1"
    assert {"canary-1", "u"} <= request.secrets


def test_a_secret_written_out_is_a_secret_too() -> None:
    assert "canary-2" in sent({}, headers={"X-Api-Key": "canary-2"}).secrets
    assert "canary-3" in sent({}, headers={"Authorization": "Bearer canary-3"}).secrets
    basic = base64.b64encode(b"user:canary-4").decode()
    assert {basic, "canary-4"} <= sent({}, {"LOGIN": basic}, headers={"Authorization": "Basic ${LOGIN}"}).secrets
    assert "?" in sent({}, headers={"Authorization": "Basic ?"}).secrets


def test_a_missing_variable_is_named() -> None:
    with pytest.raises(ValueError, match="NOWHERE is not set"):
        sent({}, {}, headers={"Authorization": "Bearer ${NOWHERE}"})


def test_no_argument_is_expanded() -> None:
    request = sent({"q": "${TOKEN}", "h": "${TOKEN}"}, {"TOKEN": "canary"}, parameters=(Parameter("h", "header", "H"),))
    assert "canary" not in str(request)


def test_an_endpoint_shows_no_headers() -> None:
    assert "canary" not in repr(Endpoint(method="GET", url=HOME, headers={"Authorization": "Bearer canary"}))


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/x",
        "file:///etc/passwd",
        "example.com/x",
        "https:///x",
        "https://user:secret@example.com/x",
        "https://{host}/x",
        "https://example.com:{port}/x",
        "javascript:alert(1)",
    ],
)
def test_an_address_that_requests_may_not_go_to_is_an_error_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="address"):
        Endpoint(method="GET", url=url)


@pytest.mark.parametrize("method", ["", "GET /", "GET\r\n", "GÉT"])
def test_what_is_no_method_is_an_error_at_once(method: str) -> None:
    with pytest.raises(ValueError, match="no method"):
        Endpoint(method=method, url=HOME)


@pytest.mark.parametrize(
    ("method", "status", "location", "onward"),
    [
        ("GET", 301, "/y", ("GET", f"{HOME}/y")),
        ("GET", 302, f"{HOME}/y?a=1", ("GET", f"{HOME}/y?a=1")),
        ("HEAD", 303, "y", ("HEAD", f"{HOME}/y")),
        ("POST", 303, "/y", ("GET", f"{HOME}/y")),
        ("POST", 307, "/y", ("POST", f"{HOME}/y")),
        ("PUT", 308, "/y", ("PUT", f"{HOME}/y")),
        ("GET", 304, None, None),
        ("GET", 200, "/y", None),
    ],
)
def test_a_redirect_within_the_origin_is_another_request(
    method: str, status: int, location: str | None, onward: tuple[str, str] | None
) -> None:
    request = sent({"a": 1}, method=method, headers={"X-Key": "k"})
    after = redirected(request, status, location)
    assert (after and after[:2]) == onward
    if after is not None:
        assert after.headers["x-key"] == "k"
        assert (after.content is None) == (after.method in ("GET", "HEAD"))
        assert ("content-type" in after.headers) == (after.content is not None)


@pytest.mark.parametrize(
    ("method", "status", "location"),
    [
        ("GET", 302, "https://evil.example.net/"),
        ("GET", 302, "//evil.example.net/"),
        ("GET", 302, "http://api.example.com/x"),
        ("GET", 302, "https://api.example.com:444/x"),
        ("GET", 302, "https://user@api.example.com/x"),
        ("GET", 302, "file:///etc/passwd"),
        ("POST", 301, "/y"),
        ("DELETE", 302, "/y"),
    ],
)
def test_a_redirect_elsewhere_or_to_something_else_is_an_error(method: str, status: int, location: str) -> None:
    with pytest.raises(ValueError, match="redirects to"):
        redirected(sent({"a": 1}, method=method), status, location)


TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)


@given(path=TEXTS, query=TEXTS)
def test_whatever_the_arguments_are_the_request_goes_where_the_host_said(path: str, query: str) -> None:
    parameters = (Parameter("q", "query", "q"),)
    try:
        request = sent({"p": path, "q": query}, url=f"{HOME}/a/{{p}}/b", parameters=parameters)
    except ValueError:
        assume(False)
    parts = urlsplit(request.url)
    assert (parts.scheme, parts.netloc, parts.fragment) == ("https", "api.example.com", "")
    assert [unquote(step) for step in parts.path.split("/")] == ["", "a", path, "b"]
    assert parse_qsl(parts.query, keep_blank_values=True) == [("q", query)]
