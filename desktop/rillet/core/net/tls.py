"""Whom to trust: the certificate authorities of the system, those that httpx brings, and those of the environment.

The environment's are added, not put in place of the others: behind a company's proxy both its own authority and the
public ones are needed. Below: ``transport``. Guarantee: a variable that points nowhere is an error that names it,
raised when a connection is wanted, never when the program starts.
"""

from __future__ import annotations

import os
import ssl
from functools import lru_cache
from pathlib import Path

import httpx

from rillet.core.errors import NetworkError


def tls_context() -> ssl.SSLContext:
    """The context for the environment as it is now; building one takes tens of milliseconds, so the last is kept.

    Raises:
        NetworkError: ``SSL_CERT_FILE``, ``SSL_CERT_DIR`` or ``SSLKEYLOGFILE`` cannot be used.
    """
    environment = (os.environ.get(name, "") for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE"))
    return _context(*environment)


@lru_cache(maxsize=1)
def _context(cert_file: str, cert_dir: str, key_log: str) -> ssl.SSLContext:
    try:
        context = httpx.create_ssl_context(trust_env=False)
    except OSError as error:
        if not key_log:
            raise NetworkError("the certificates of httpx are missing", retryable=False) from error
        raise _unusable("SSLKEYLOGFILE", "a file that cannot be written") from error
    context.load_default_certs()
    if cert_file:
        try:
            context.load_verify_locations(cafile=cert_file)
        except ssl.SSLError as error:
            raise _unusable("SSL_CERT_FILE", "a file that holds no certificates") from error
        except OSError as error:
            raise _unusable("SSL_CERT_FILE", "a file that cannot be read") from error
    if cert_dir:
        if not Path(cert_dir).is_dir():
            raise _unusable("SSL_CERT_DIR", "a directory that does not exist")
        context.load_verify_locations(capath=cert_dir)
    return context


def _unusable(variable: str, what: str) -> NetworkError:
    return NetworkError(
        f"the environment variable {variable} names {what}",
        retryable=False,
        advice="Correct or remove the variable, then start the program again.",
    )
