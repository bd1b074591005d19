"""What goes wrong with an MCP server, as a sentence for people and for the model.

Above: nothing. Below: the transports raise it, ``server`` keeps it as the reason of its state, and a call gives it as
an error result; it never leaves this package otherwise.
"""

from __future__ import annotations


class ServerFailure(Exception):
    """A server cannot be used, or not for this."""


class SignInNeeded(ServerFailure):
    """The server wants to know who asks, and nobody could be sent to sign in.

    Attributes:
        challenge: Its ``WWW-Authenticate`` header.
    """

    def __init__(self, challenge: str = "") -> None:
        super().__init__("it wants a sign-in")
        self.challenge = challenge


class SessionLost(ServerFailure):
    """The server has forgotten this session: a new one is to be begun."""

    def __init__(self) -> None:
        super().__init__("it has forgotten the session")
