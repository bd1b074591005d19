"""Whom a connection trusts, and what happens when the environment points nowhere."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

import httpx
import pytest

from rillet.core.errors import NetworkError
from rillet.core.net.tls import tls_context

if TYPE_CHECKING:
    from pathlib import Path


def one_certificate(path: Path) -> Path:
    """A file with one of the public authorities, playing a company's own."""
    authority = httpx.create_ssl_context(trust_env=False).get_ca_certs(binary_form=True)[0]
    path.write_text(ssl.DER_cert_to_PEM_cert(authority))
    return path


def test_a_certificate_file_is_added_to_the_public_authorities(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    public = tls_context().cert_store_stats()["x509_ca"]
    assert public > 50
    monkeypatch.setenv("SSL_CERT_FILE", str(one_certificate(tmp_path / "company.pem")))
    assert tls_context().cert_store_stats()["x509_ca"] >= min(public, 50)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    assert tls_context().verify_mode is ssl.CERT_REQUIRED


def test_the_context_is_kept_until_the_environment_changes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = tls_context()
    assert tls_context() is first
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    assert tls_context() is not first


@pytest.mark.parametrize("content", [None, b"", b"no certificate"])
def test_a_certificate_file_that_is_none_is_named(
    content: bytes | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "company.pem"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    with pytest.raises(NetworkError) as caught:
        tls_context()
    assert "the environment variable SSL_CERT_FILE names a file that" in caught.value.user_message
    assert "Correct or remove the variable" in caught.value.user_message
    assert not caught.value.retryable


def test_a_certificate_directory_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "nowhere"))
    with pytest.raises(NetworkError, match="SSL_CERT_DIR names a directory that does not exist"):
        tls_context()


def test_a_key_log_that_cannot_be_written_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "nowhere" / "keys"))
    with pytest.raises(NetworkError, match="SSLKEYLOGFILE names a file that cannot be written"):
        tls_context()


def test_an_empty_variable_is_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "")
    monkeypatch.setenv("SSL_CERT_DIR", "")
    assert tls_context().cert_store_stats()["x509_ca"] > 50
