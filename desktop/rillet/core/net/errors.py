"""The two failures of connecting: the request never reached the provider, so repeating it costs nobody anything.

Above: the error tree. Below: ``translate`` raises them, ``retry`` looks for them. To everybody else they are what they
inherit from.
"""

from __future__ import annotations

from rillet.core.errors import NetworkError, TimedOutError


class ConnectError(NetworkError):
    """No connection was made."""


class ConnectTimedOut(TimedOutError):
    """No connection was made in time."""

    summary = "{provider} cannot be reached"
    advice = "Check the network and the address of the provider, then try again."


UNSENT = (ConnectError, ConnectTimedOut)
