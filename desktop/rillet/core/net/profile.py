"""How one provider is reached: proxy and patience. A value; ``transport`` acts on it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass


@dataclass(frozen=True, slots=True)
class NetworkProfile:
    """Network settings of one provider. Times are in seconds; None switches a limit off."""

    _: KW_ONLY
    proxy: str | None = "system"
    """"system" (environment variables), None (direct), or the URL of an http, https or socks5 proxy."""
    connect_timeout: float | None = 15.0
    first_event_timeout: float | None = 600.0
    """From the request sent to the first meaningful event. Long: large prompts and slow local models are normal."""
    idle_timeout: float | None = 600.0
    """Between meaningful events. Keep-alive comments do not count; reasoning models are silent for minutes."""
    total_timeout: float | None = None
