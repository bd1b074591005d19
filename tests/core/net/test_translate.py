"""No exception of httpx leaves the net package untranslated."""

from __future__ import annotations

import inspect
import socket
import ssl

import httpx
import pytest

from rillet.core.errors import InvalidRequestError, LlmError, NetworkError, TimedOutError
from rillet.core.net.errors import ConnectError, ConnectTimedOut
from rillet.core.net.translate import BUGS, translate, translated

REQUEST = httpx.Request("POST", "https://api.example.com/v1?key=canary-secret", headers={"x-api-key": "canary-secret"})
ALL = [each for each in vars(httpx).values() if inspect.isclass(each) and issubclass(each, Exception)]
EXPECTED: dict[type[Exception], type[LlmError]] = {
    httpx.ConnectTimeout: ConnectTimedOut,
    httpx.PoolTimeout: ConnectTimedOut,
    httpx.ReadTimeout: TimedOutError,
    httpx.WriteTimeout: TimedOutError,
    httpx.TimeoutException: TimedOutError,
    httpx.ConnectError: ConnectError,
    httpx.ProxyError: ConnectError,
    httpx.ReadError: NetworkError,
    httpx.WriteError: NetworkError,
    httpx.CloseError: NetworkError,
    httpx.NetworkError: NetworkError,
    httpx.RemoteProtocolError: NetworkError,
    httpx.ProtocolError: NetworkError,
    httpx.LocalProtocolError: InvalidRequestError,
    httpx.UnsupportedProtocol: InvalidRequestError,
    httpx.InvalidURL: InvalidRequestError,
    httpx.DecodingError: NetworkError,
    httpx.TransportError: NetworkError,
    httpx.RequestError: NetworkError,
    httpx.HTTPError: NetworkError,
}


def instance(kind: type[Exception]) -> Exception:
    error = kind.__new__(kind)
    error.args = ("canary-secret in https://api.example.com/v1?key=canary-secret",)
    return error


def test_the_table_below_knows_every_exception_that_httpx_exports() -> None:
    assert len(ALL) > 20
    assert {kind for kind in ALL if not issubclass(kind, BUGS)} == set(EXPECTED)


@pytest.mark.parametrize("kind", EXPECTED, ids=lambda kind: kind.__name__)
def test_each_becomes_its_kind_and_tells_no_more_than_the_host(kind: type[Exception]) -> None:
    with pytest.raises(LlmError) as caught, translated("api.example.com"):
        raise instance(kind)
    assert type(caught.value) is EXPECTED[kind]
    assert "canary-secret" not in f"{caught.value!r}{caught.value}{caught.value.user_message}"


@pytest.mark.parametrize("kind", BUGS, ids=lambda kind: kind.__name__)
def test_a_bug_stays_a_bug(kind: type[Exception]) -> None:
    with pytest.raises(kind), translated("api.example.com"):
        raise instance(kind)


def test_what_is_not_of_httpx_passes_through() -> None:
    with pytest.raises(KeyError), translated("api.example.com"):
        raise KeyError("ours")


@pytest.mark.parametrize(
    ("cause", "kind", "sentence"),
    [
        (socket.gaierror(-2, "Name or service not known"), ConnectError, "no such host: api.example.com"),
        (ConnectionRefusedError(111, "refused"), ConnectError, "nothing answers at api.example.com"),
        (ssl.SSLError(1, "WRONG_VERSION_NUMBER"), ConnectError, "does not speak TLS"),
        (TimeoutError(110, "timed out"), ConnectTimedOut, "no connection to api.example.com in time"),
        (OSError(101, "Network is unreachable"), ConnectError, "no connection to api.example.com"),
        (ExceptionGroup("", [OSError(97, "no"), ConnectionRefusedError(111, "no")]), ConnectError, "nothing answers"),
    ],
)
def test_the_reason_of_a_failed_connection_is_found(cause: Exception, kind: type[LlmError], sentence: str) -> None:
    error = httpx.ConnectError("All connection attempts failed")
    error.__context__ = OSError("All connection attempts failed")
    error.__context__.__cause__ = cause
    result = translate(error, "api.example.com")
    assert type(result) is kind
    assert sentence in result.message


def test_an_untrusted_certificate_says_why_and_is_not_tried_again() -> None:
    cause = ssl.SSLCertVerificationError(1, "CERTIFICATE_VERIFY_FAILED")
    cause.verify_message = "self-signed certificate"
    error = httpx.ConnectError("")
    error.__cause__ = cause
    result = translate(error, "api.example.com")
    assert "self-signed certificate" in result.user_message
    assert "SSL_CERT_FILE" in result.user_message
    assert not result.retryable


def test_a_server_that_asks_for_a_certificate_says_so_after_the_handshake() -> None:
    alert = ssl.SSLError(1, "[SSL: TLSV13_ALERT_CERTIFICATE_REQUIRED] tlsv13 alert certificate required")
    with pytest.raises(NetworkError) as caught, translated("gateway.example"):
        raise alert
    assert "gateway.example lets in only those with a certificate" in caught.value.user_message
    assert not caught.value.retryable
    with pytest.raises(NetworkError, match="broke off"), translated("gateway.example"):
        raise ssl.SSLError(1, "[SSL: DECRYPTION_FAILED_OR_BAD_RECORD_MAC]")
