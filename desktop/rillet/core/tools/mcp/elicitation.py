"""A server asks the user in the middle of a call: its question → a ``Request``, an ``Answer`` → its reply.

Pure, but for the SDK's values. Above: ``core/types/suspension``, ``schema``. Below: ``calls``. Guarantees: a form is
never the way to a secret (one that asks for it is declined; a page that does must be https); the same question of the
same call has the same id, in every process; what a server is told fits the form that it sent, whose defaults stand for
what was left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import mcp_types as protocol

from rillet.core.net.loopback import is_loopback
from rillet.core.tools.mcp.definition import depth
from rillet.core.tools.mcp.digest import digest_of
from rillet.core.tools.schema import problems
from rillet.core.types.suspension import Request
from rillet.core.wire.surrogates import mend, mend_all

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rillet.core.types.suspension import Answer

LONGEST_QUESTION: Final = 4000
MOST_FIELDS: Final = 50
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SECRETS: Final = (
    r"pass\W?(?:word|phrase|code)|passwd|credentials?|(?:api|access|private|secret|recovery)\W?key|seed\W?phrase|mnemonic"
    r"|(?:api|auth\w*|access|bearer|refresh|session)\W?token|one\W?time\W?(?:code|password)|card\W?number|\bcv[vc]2?\b"
    r"|social\W?security|\bssn\b"
)
_IN_PROSE = re.compile(_SECRETS, re.IGNORECASE)
_IN_NAMES = re.compile(rf"{_SECRETS}|secret|token|\bpin\b|\botp\b|2fa", re.IGNORECASE)
_WARNING = re.compile(r"\b(?:do not|don't|don’t|never|without|no|not)\b[^.;)]*", re.IGNORECASE)
"""Prose that tells people to keep their secrets to themselves."""


class Declined(ValueError):
    """A question that is not put to anybody; the message says why."""


def question(
    server: str, tool: str, args: Mapping[str, Any], params: protocol.ElicitRequestParams, *, is_local: bool = True
) -> Request:
    """What to ask. ``is_local``: the server is on this machine, and so may be the page that it wants visited.

    Raises:
        Declined: not this.
    """
    message = mend(params.message)
    if len(message) > LONGEST_QUESTION:
        raise Declined("the question is too long")
    prompt = f"The server {server} asks, for its tool {tool}: {message}"
    about = {"server": server, "tool": tool}
    if isinstance(params, protocol.ElicitRequestURLParams):
        _check_address(params.url, is_local=is_local)
        request_id = _id(server, tool, args, message, params.url)
        return Request(id=request_id, kind="authorization", prompt=prompt, url=params.url, data=about)
    schema = mend_all(params.requested_schema)
    _check_form(schema, message)
    request_id = _id(server, tool, args, message, schema)
    return Request(id=request_id, kind="input", prompt=prompt, data={**about, "schema": schema})


def reply(request: Request, answer: Answer) -> protocol.ElicitResult:
    """What the server is told. Its word for "not now" is cancel, for "no" decline."""
    if not answer.ok:
        return protocol.ElicitResult(action="decline" if answer.reason else "cancel")
    if request.kind == "authorization":
        return protocol.ElicitResult(action="accept")
    schema = (request.data or {})["schema"]
    fields = schema.get("properties", {})
    given = answer.data or {}
    wanted = {name: field["default"] for name, field in fields.items() if "default" in field and name not in given}
    content = wanted | {name: value for name, value in given.items() if name in fields}
    if problems(schema, content):
        return protocol.ElicitResult(action="cancel")
    return protocol.ElicitResult(action="accept", content=content)


def _check_address(url: str, *, is_local: bool) -> None:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        raise Declined("it leads to something that is no address") from None
    is_safe = is_local and parts.scheme in ("http", "https") if is_loopback(host) else parts.scheme == "https"
    if not is_safe or not host or not url.isprintable() or parts.username is not None:
        raise Declined("it leads to an address that is not https, or not its own")


def _check_form(schema: Any, message: str) -> None:
    fields = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(fields, dict) or not 0 < len(fields) <= MOST_FIELDS or depth(schema) > 6:
        raise Declined("its form is none")
    _check_prose(message, "it")
    for name, field in fields.items():
        if not isinstance(field, dict):
            raise Declined("its form is none")
        words = (name, _CAMEL.sub(" ", name).replace("_", " "), str(field.get("title", "")))
        if _IN_NAMES.search(" ".join(words)) or field.get("format") == "password":
            raise Declined(f"it asks for {name}, which may be a secret: a form is no place for it")
        _check_prose(str(field.get("description", "")), name)


def _check_prose(text: str, what: str) -> None:
    if (match := _IN_PROSE.search(_WARNING.sub("", text))) is not None:
        raise Declined(f"{what} speaks of a {match[0]}: a form is no place for a secret")


def _id(*what: Any) -> str:
    return f"mcp-{digest_of(*what)[:24]}"
