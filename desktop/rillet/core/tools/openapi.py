"""An OpenAPI document → one tool per operation.

Above: ``openapi_operation`` reads operations, ``http`` sends, ``yaml_text``. Below: hosts, who give them to ``toolkit``
as extra tools. Versions 3.0 and 3.1, JSON or YAML (https://spec.openapis.org/oas/v3.1.1). The document is a stranger's:
it decides no more than what its operations are called and what they take.

Guarantees: every operation is a tool or is listed with the reason why not. The host's headers go to one origin alone,
whatever servers the document names; a server that only the document names is reached at public addresses alone. Nothing
is fetched.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from rillet.core.net.public import why_not_public
from rillet.core.net.web_address import WebAddress
from rillet.core.tools.http import DEFAULT_NETWORK, LIMIT, TIMEOUT, Sender, endpoint_tool
from rillet.core.tools.http_request import Endpoint
from rillet.core.tools.names import legal_name, outline
from rillet.core.tools.openapi_operation import Reader, Skipped, operations
from rillet.core.tools.openapi_schema import Document
from rillet.core.tools.yaml_text import read_yaml

if TYPE_CHECKING:
    import httpx

    from rillet.core.net.profile import NetworkProfile
    from rillet.core.tools.tool import Tool


class Imported(NamedTuple):
    """What a document gave."""

    tools: tuple[Tool, ...]
    skipped: tuple[Skipped, ...]


def openapi_tools(
    document: str | bytes | Mapping[str, Any],
    *,
    base_url: str | None = None,
    headers: Mapping[str, str] | None = None,
    only: Collection[str] | None = None,
    prefix: str = "",
    timeout: float = TIMEOUT,
    limit: int = LIMIT,
    network: NetworkProfile = DEFAULT_NETWORK,
    environ: Mapping[str, str] = os.environ,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Imported:
    """The tools of a document, as its text or as what that holds. YAML of megabytes takes seconds: use a thread for it.

    ``base_url`` takes the place of all servers that the document names; it is needed where those lie at a private
    address, or are none. ``headers``: for every request, ``${NAME}`` as in ``http_tool``. ``only``: the operations
    wanted, by their names before ``prefix``. ``timeout``, ``limit``, ``network``, ``environ`` and ``transport`` as in
    ``http_tool``.

    Raises:
        ValueError: it is no OpenAPI document, or names no server that may be used.
    """
    root = _read(document)
    document_server = base_url or _server_of(root)
    if document_server is None:
        raise ValueError("the document names no server with a whole address: give base_url")
    home = Endpoint(method="GET", url=document_server).origin
    sender = Sender(
        network, timeout=timeout, limit=limit, environ=environ, public_only=base_url is None, transport=transport
    )
    reader = Reader(Document(root))
    tools: list[Tool] = []
    skipped: list[Skipped] = []
    taken: dict[str, str] = {}
    for operation in operations(Document(root)):
        if isinstance(operation, Skipped):
            skipped.append(operation)
            continue
        if only is not None and operation.name not in only:
            continue
        try:
            server = base_url or _server_of(operation.node) or _server_of(operation.path_item) or document_server
            call = reader.read(operation, server, headers or {})
            if call.endpoint.origin != home and headers:
                raise ValueError(f"it is served by {call.endpoint.origin}, which is not to see the headers of {home}")
            name = legal_name(f"{prefix}{operation.name}")
            if other := taken.get(outline(name)):
                raise ValueError(f"{name} could be taken for {other}")
            tools.append(endpoint_tool(name, call.description, call.schema, call.endpoint, sender))
            taken[outline(name)] = f"{name} ({operation.label})"
        except ValueError as error:
            skipped.append(Skipped(operation.label, str(error)))
    return Imported(tuple(tools), tuple(skipped))


def _read(document: str | bytes | Mapping[str, Any]) -> Mapping[str, Any]:
    root: Any = document
    if not isinstance(document, Mapping):
        text = document if isinstance(document, str) else document.decode("utf-8-sig", "replace")
        try:
            root = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            root = read_yaml(text)
    if isinstance(root, Mapping) and "swagger" in root:
        raise ValueError("this is version 2 of OpenAPI: convert the document to version 3")
    if not isinstance(root, Mapping) or not str(root.get("openapi", "")).startswith("3"):
        raise ValueError("this is no OpenAPI document of version 3")
    return root


def _server_of(node: Mapping[str, Any]) -> str | None:
    """The first server that a part of the document names, if that is a whole address.

    Raises:
        ValueError: it lies at a private address, which a stranger's document is not to choose.
    """
    servers = [each for each in _list(node.get("servers")) if isinstance(each, Mapping)]
    if not servers or not isinstance(address := servers[0].get("url"), str):
        return None
    for name, variable in _mapping(servers[0].get("variables")).items():
        address = address.replace(f"{{{name}}}", str(_mapping(variable).get("default", "")))
    parts = urlsplit(address)
    if not parts.hostname:
        return None
    host = WebAddress.parse(address, ports=frozenset({80, 443, parts.port or 443})).host
    if whose := _whose(host):
        raise ValueError(f"the document sends to {host}, which is {whose}: give base_url if that is meant")
    return address


def _whose(host: str) -> str | None:
    """Whom a host belongs to instead of the public, as far as that can be told without looking it up."""
    try:
        return why_not_public(host)
    except ValueError:  # a name
        return "this machine" if host == "localhost" or host.endswith(".localhost") else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
