"""Who signed a certificate."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from rillet.core.net.certificate import issuer
from support.tls import Authority, make_certificate

if TYPE_CHECKING:
    from pathlib import Path


def der(certificate: Path) -> bytes:
    return ssl.PEM_cert_to_DER_cert(certificate.read_text())


def test_the_authority_is_named_with_its_organization(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "Root of All")
    assert issuer(der(authority.issue("127.0.0.1").certificate)) == "Root of All (Company)"


def test_a_certificate_that_signed_itself_names_itself(tmp_path: Path) -> None:
    assert issuer(der(make_certificate(tmp_path).certificate)) == "127.0.0.1"


def test_every_public_authority_has_a_name() -> None:
    authorities = ssl.create_default_context().get_ca_certs(binary_form=True)
    names = [issuer(authority) for authority in authorities]
    assert len(names) > 50
    assert all(names)
    assert any(name and name.startswith("ISRG Root X1") for name in names)


def test_a_certificate_cut_anywhere_is_no_error(tmp_path: Path) -> None:
    whole = der(make_certificate(tmp_path).certificate)
    for end in range(len(whole)):
        assert issuer(whole[:end]) is None


@given(st.binary(max_size=200))
def test_any_bytes_are_no_error(data: bytes) -> None:
    issuer(data)
    issuer(b"\x30\x80" + data)
    issuer(b"\x30\x84\xff\xff\xff\xff" + data)
