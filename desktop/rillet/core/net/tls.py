"""Whom to trust, and who we are: certificates of the operating system, the environment and the profile.

The authorities of the environment and of the profile are added to those of the system, not put in their place: behind
a company's proxy both its own authority and the public ones are needed. Windows and macOS judge certificates
themselves, with what the company installed there (``truststore``). Elsewhere the distribution's bundle is read once:
reading it for every connection, as ``truststore`` does there, holds up the event loop for 23 ms each time.

Knows no proxy and no address. Above: ``profile``. Below: ``transport``, ``probe``. Guarantee: what points nowhere is an
error that names the variable or the setting, raised when a connection is wanted, never when the program starts. Nothing
switches verification off.
"""

from __future__ import annotations

import os
import ssl
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import httpx

from rillet.core.errors import NetworkError

if TYPE_CHECKING:
    from rillet.core.net.profile import NetworkProfile

JUDGED_BY_SYSTEM: Final = ("win32", "darwin")
BUNDLES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Ubuntu, Arch, Alpine
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  # Fedora, RHEL
    "/etc/ssl/ca-bundle.pem",  # SUSE
    "/etc/ssl/cert.pem",  # BSD
)
"""Where distributions keep their authorities: a Python built elsewhere (a frozen program) looks in the wrong place."""


def tls_context(profile: NetworkProfile) -> ssl.SSLContext:
    """The context for the profile and the environment as they are now; building one takes tens of milliseconds.

    Raises:
        NetworkError: a file or directory of the profile, ``SSL_CERT_FILE``, ``SSL_CERT_DIR`` or ``SSLKEYLOGFILE``
            cannot be used.
    """
    return _context(
        _Sources(
            environment_file=os.environ.get("SSL_CERT_FILE", ""),
            environment_directory=os.environ.get("SSL_CERT_DIR", ""),
            key_log=os.environ.get("SSLKEYLOGFILE", ""),
            ca_file=profile.ca_file or "",
            certificate=profile.client_certificate or "",
            key=profile.client_key or "",
            password=profile.client_key_password or "",
        )
    )


class _Sources(NamedTuple):
    """What a context is made of; empty: nothing. Equal sources share a context."""

    environment_file: str
    environment_directory: str
    key_log: str
    ca_file: str
    certificate: str
    key: str
    password: str


@lru_cache(maxsize=8)
def _context(sources: _Sources) -> ssl.SSLContext:
    context = _trusting_the_system()
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # a company may name its intermediate authority only
    if sources.environment_file:
        _trust(context, sources.environment_file, _VARIABLE.format("SSL_CERT_FILE"), _CORRECT_VARIABLE)
    if sources.environment_directory:
        if not Path(sources.environment_directory).is_dir():
            raise _unusable(_VARIABLE.format("SSL_CERT_DIR"), "a directory that does not exist", _CORRECT_VARIABLE)
        context.load_verify_locations(capath=sources.environment_directory)
    if sources.ca_file:
        _trust(context, sources.ca_file, "the setting for further certificates", _CORRECT_SETTING)
    if sources.certificate:
        _identify(context, sources.certificate, sources.key, sources.password)
    if sources.key_log:
        try:
            context.keylog_filename = sources.key_log
        except OSError as error:
            name = _VARIABLE.format("SSLKEYLOGFILE")
            raise _unusable(name, "a file that cannot be written", _CORRECT_VARIABLE) from error
    return context


def _trusting_the_system() -> ssl.SSLContext:
    if sys.platform in JUDGED_BY_SYSTEM:
        import truststore  # loads the system's libraries

        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    paths = ssl.get_default_verify_paths()
    # OpenSSL's own paths, not ``load_default_certs``: that would read the environment's variables in their place.
    bundle = next((path for path in (paths.openssl_cafile, *BUNDLES) if Path(path).is_file()), None)
    if bundle is not None:
        context.load_verify_locations(cafile=bundle)
    if Path(paths.openssl_capath).is_dir():
        context.load_verify_locations(capath=paths.openssl_capath)
    if bundle is None:  # a minimal container: what httpx brings is better than nobody
        context.load_verify_locations(cadata=b"".join(_of_httpx()))
    return context


def _of_httpx() -> list[bytes]:
    """The public authorities in DER form."""
    return httpx.create_ssl_context(trust_env=False).get_ca_certs(binary_form=True)


def _trust(context: ssl.SSLContext, file: str, source: str, advice: str) -> None:
    try:
        context.load_verify_locations(cafile=file)
    except ssl.SSLError as error:
        raise _unusable(source, "a file that holds no certificates", advice) from error
    except OSError as error:
        raise _unusable(source, "a file that cannot be read", advice) from error


def _identify(context: ssl.SSLContext, certificate: str, key: str, password: str) -> None:
    source = "the setting for the client certificate"
    for file in filter(None, (certificate, key)):
        if not os.access(file, os.R_OK):
            raise _unusable(source, "a file that cannot be read", _CORRECT_SETTING)
    try:
        # Never None: OpenSSL would ask for the password in the terminal, and wait.
        context.load_cert_chain(certificate, key or None, password=password)
    except (ssl.SSLError, OSError) as error:
        problem = "files that are no certificate with its key, or the key's password is another one"
        raise _unusable(source, problem, _CORRECT_SETTING) from error


_VARIABLE = "the environment variable {}"
_CORRECT_VARIABLE = "Correct or remove the variable, then start the program again."
_CORRECT_SETTING = "Correct it in the provider's network settings."


def _unusable(source: str, what: str, advice: str) -> NetworkError:
    return NetworkError(f"{source} names {what}", retryable=False, advice=advice)
