"""How one provider is reached: proxy, certificates, headers and patience. A value; the rest of ``net`` acts on it.

Nothing in it is checked when it is made: a file that does not exist is an error of the first request that needs it, so
that a wrong setting never keeps the program from starting. The repr shows nothing that may hold a password.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field


@dataclass(frozen=True, slots=True)
class NetworkProfile:
    """Network settings of one provider. Times are in seconds; None switches a limit off.

    Args:
        proxy: "system" (environment variables, then the system's settings), None (direct), or the URL of an http, https
            or socks5 proxy, with user and password where it asks for them. A loopback address is always reached
            directly.
        no_proxy: Hosts that ``proxy`` is not used for when it is a URL ("system" has its own list, ``NO_PROXY``):
            names, which include their subdomains, addresses, networks ("10.0.0.0/8"), each with ":port" if wanted, or
            "*".
        ca_file: Certificate authorities (PEM) to trust beside those of the operating system, such as a company's own.
        client_certificate: A certificate (PEM) to identify with, where a gateway asks for one.
        client_key: Its private key (PEM); None: in the same file.
        client_key_password: What that key is locked with.
        headers: What a gateway on the way wants to see in every request.
        connect_timeout: Until there is a connection.
        first_event_timeout: From the request sent to the first meaningful event. Long: large prompts and slow local
            models are normal.
        idle_timeout: Between meaningful events. Keep-alive comments do not count; reasoning models are silent for
            minutes.
        total_timeout: From the beginning to the end of one answer.
    """

    _: KW_ONLY
    proxy: str | None = field(default="system", repr=False)
    no_proxy: Sequence[str] = ()
    ca_file: str | None = None
    client_certificate: str | None = None
    client_key: str | None = None
    client_key_password: str | None = field(default=None, repr=False)
    headers: Sequence[tuple[str, str]] | Mapping[str, str] = field(default=(), repr=False)
    connect_timeout: float | None = 15.0
    first_event_timeout: float | None = 600.0
    idle_timeout: float | None = 600.0
    total_timeout: float | None = None

    def __post_init__(self) -> None:
        pairs = self.headers.items() if isinstance(self.headers, Mapping) else self.headers
        object.__setattr__(self, "headers", tuple((str(name), str(value)) for name, value in pairs))
        object.__setattr__(self, "no_proxy", tuple(self.no_proxy))
