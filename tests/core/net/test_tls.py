"""Whom a connection trusts, and what happens when the environment points nowhere."""

from __future__ import annotations

import ssl
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import truststore

from rillet.core.errors import LlmError, NetworkError
from rillet.core.net import tls
from rillet.core.net.errors import ConnectError
from rillet.core.net.profile import NetworkProfile
from rillet.core.net.tls import tls_context
from rillet.core.net.transport import Transport
from support.tls import Authority, tls_server

if TYPE_CHECKING:
    from pathlib import Path


PROFILE = NetworkProfile(proxy=None)


def subjects(context: ssl.SSLContext) -> set[bytes]:
    return set(context.get_ca_certs(binary_form=True))


async def test_the_public_the_environments_and_the_profiles_authorities_all_count_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The bug class: a company's file in place of the public authorities (or the reverse)."""
    public = subjects(tls_context(PROFILE))
    assert len(public) > 50
    ours, theirs = Authority(tmp_path, "Ours"), Authority(tmp_path, "Theirs")
    monkeypatch.setenv("SSL_CERT_FILE", str(ours.certificate))
    profile = NetworkProfile(proxy=None, ca_file=str(theirs.certificate))
    assert len(subjects(tls_context(profile))) == len(public) + 2
    assert public < subjects(tls_context(profile))
    for authority in (ours, theirs):
        with tls_server(*authority.issue("127.0.0.1")) as port:
            assert await get(port, profile) == b"ok"
    with tls_server(*Authority(tmp_path, "Nobody").issue("127.0.0.1")) as port:
        assert isinstance(await failure(port, profile), ConnectError)


async def test_what_the_distribution_trusts_and_what_the_profile_adds_are_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    system, company = Authority(tmp_path, "System"), Authority(tmp_path, "Company")
    paths = ssl.get_default_verify_paths()._replace(openssl_cafile=str(system.certificate), openssl_capath="/nowhere")
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: paths)
    tls._context.cache_clear()
    profile = NetworkProfile(proxy=None, ca_file=str(company.certificate))
    for authority in (system, company):
        with tls_server(*authority.issue("127.0.0.1")) as port:
            assert await get(port, profile) == b"ok"
    tls._context.cache_clear()


async def test_where_the_system_judges_itself_the_profiles_authority_counts_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As on Windows and macOS; ``truststore`` itself is tested there by its authors."""
    authority = Authority(tmp_path)
    monkeypatch.setattr(tls, "JUDGED_BY_SYSTEM", (sys.platform,))
    tls._context.cache_clear()
    profile = NetworkProfile(proxy=None, ca_file=str(authority.certificate))
    assert isinstance(tls_context(profile), truststore.SSLContext)
    with tls_server(*authority.issue("127.0.0.1")) as port:
        assert await get(port, profile) == b"ok"
        assert isinstance(await failure(port, PROFILE), ConnectError)
    tls._context.cache_clear()


def test_a_machine_without_authorities_gets_those_of_httpx(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = ssl.get_default_verify_paths()._replace(openssl_cafile="/nowhere", openssl_capath="/nowhere")
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: paths)
    monkeypatch.setattr(tls, "BUNDLES", ())
    tls._context.cache_clear()
    assert len(subjects(tls_context(PROFILE))) > 50
    tls._context.cache_clear()


async def test_a_company_may_name_its_intermediate_authority_only(tmp_path: Path) -> None:
    certificate, key = Authority(tmp_path).issue("127.0.0.1")
    with tls_server(certificate, key) as port:
        assert await get(port, NetworkProfile(proxy=None, ca_file=str(certificate))) == b"ok"


async def test_the_name_of_the_server_is_checked(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with tls_server(*authority.issue("api.example.com")) as port:
        error = await failure(port, NetworkProfile(proxy=None, ca_file=str(authority.certificate)))
    assert "is not trusted" in error.message


async def test_a_gateway_that_asks_for_a_certificate_gets_ours(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    certificate, key = authority.issue("client.example", password="canary-password")
    with tls_server(*authority.issue("127.0.0.1"), clients=authority.certificate) as port:
        profile = NetworkProfile(
            proxy=None,
            ca_file=str(authority.certificate),
            client_certificate=str(certificate),
            client_key=str(key),
            client_key_password="canary-password",
        )
        assert await get(port, profile) == b"ok"
        both = tmp_path / "both.pem"
        both.write_bytes(certificate.read_bytes() + key.read_bytes())
        in_one_file = replace(profile, client_certificate=str(both), client_key=None)
        assert await get(port, in_one_file) == b"ok"
        assert isinstance(await failure(port, replace(profile, client_certificate=None)), NetworkError)
        for wrong in (
            {"client_key_password": None},
            {"client_key_password": "canary-other"},
            {"client_key": str(tmp_path / "nowhere")},
            {"client_certificate": str(key)},
        ):
            error = await failure(port, replace(profile, **wrong))
            assert "the setting for the client certificate names" in error.user_message
            assert "canary" not in f"{error!r}{error.user_message}"
            assert not error.retryable
    assert "canary" not in repr(profile)


@pytest.mark.parametrize("content", [None, b"", b"no certificate"])
def test_a_further_certificate_that_is_none_is_named(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "company.pem"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(NetworkError) as caught:
        tls_context(NetworkProfile(ca_file=str(path)))
    assert "the setting for further certificates names a file that" in caught.value.user_message
    assert "Correct it in the provider's network settings" in caught.value.user_message
    path.write_bytes(Authority(tmp_path).certificate.read_bytes())
    assert tls_context(NetworkProfile(ca_file=str(path))) is not None, "it is read again once it is corrected"


def test_the_context_is_kept_until_the_environment_changes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = tls_context(PROFILE)
    assert tls_context(NetworkProfile(proxy="http://elsewhere:1")) is first
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    assert tls_context(PROFILE) is not first


@pytest.mark.parametrize("content", [None, b"", b"no certificate"])
def test_a_certificate_file_that_is_none_is_named(
    content: bytes | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "company.pem"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    with pytest.raises(NetworkError) as caught:
        tls_context(PROFILE)
    assert "the environment variable SSL_CERT_FILE names a file that" in caught.value.user_message
    assert "Correct or remove the variable" in caught.value.user_message
    assert not caught.value.retryable


def test_a_certificate_directory_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "nowhere"))
    with pytest.raises(NetworkError, match="SSL_CERT_DIR names a directory that does not exist"):
        tls_context(PROFILE)


def test_a_key_log_that_cannot_be_written_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "nowhere" / "keys"))
    with pytest.raises(NetworkError, match="SSLKEYLOGFILE names a file that cannot be written"):
        tls_context(PROFILE)


def test_an_empty_variable_is_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "")
    monkeypatch.setenv("SSL_CERT_DIR", "")
    assert len(subjects(tls_context(PROFILE))) > 50


async def get(port: int, profile: NetworkProfile) -> bytes:
    transport = Transport(profile)
    try:
        async with await transport.open("GET", f"https://127.0.0.1:{port}/", {}) as answer:
            return await answer.read_all(100)
    finally:
        await transport.aclose()


async def failure(port: int, profile: NetworkProfile) -> LlmError:
    with pytest.raises(LlmError) as caught:
        await get(port, profile)
    return caught.value
