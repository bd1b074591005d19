"""Whatever the environment says about proxies and certificates: nothing keeps the program from starting.

The class of bug: a variable that the HTTP library rejects when it is made, so that the program never starts.
"""

from __future__ import annotations

from itertools import product

import pytest

from rillet.core.errors import LlmError
from rillet.core.net.profile import NetworkProfile
from rillet.core.net.transport import Transport
from support.fake_server import FakeServer, respond

PROXIES = (
    "",
    " ",
    "http://127.0.0.1:9",
    "127.0.0.1:9",
    "socks://127.0.0.1:9",
    "socks5://127.0.0.1:9",
    "socks5h://127.0.0.1:9",
    "https://127.0.0.1:9",
    "ftp://127.0.0.1:9",
    "http://",
    "http://[::1",
    "http://host:port",
    "http://us er:pa ss@127.0.0.1:9",
    "http://user:p@ss:w0rd@127.0.0.1:9",
    "://",
    "\u00e4\u00f6\u00fc",
    "a" * 5000,
)
CERTIFICATES = ("", "/nowhere", "/dev/null", "/", "relative/nowhere")


@pytest.mark.parametrize("proxy", PROXIES, ids=lambda proxy: proxy[:30])
@pytest.mark.parametrize("variable", ["ALL_PROXY", "https_proxy"])
async def test_a_proxy_variable_is_a_sentence_at_worst(
    variable: str, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, proxy)
    error = await failure("https://api.invalid/")
    assert error is not None
    assert "Traceback" not in error.user_message
    assert len(error.user_message) < 1000


@pytest.mark.parametrize("exceptions", ["*", ",,", "[", "10.0.0.0/99", "api.invalid:port", ":"])
async def test_exceptions_that_make_no_sense_do_no_harm(exceptions: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", exceptions)
    assert await failure("https://api.invalid/") is not None


@pytest.mark.parametrize(("file", "directory"), list(product(CERTIFICATES, CERTIFICATES)))
async def test_certificate_variables_are_a_sentence_that_names_one(
    file: str, directory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", file)
    monkeypatch.setenv("SSL_CERT_DIR", directory)
    error = await failure("https://127.0.0.1:9/")
    assert error is not None
    is_usable = not file and directory in ("", "/")
    assert is_usable == ("SSL_CERT_" not in error.user_message)
    with FakeServer(respond(200, b"ok")) as server:
        assert await failure(server.url) is None, "without TLS they do not matter"


async def failure(url: str) -> LlmError | None:
    transport = Transport(NetworkProfile(connect_timeout=2.0))
    try:
        async with await transport.open("GET", url, {}) as answer:
            await answer.read_all(100)
    except LlmError as error:
        return error
    finally:
        await transport.aclose()
    return None
