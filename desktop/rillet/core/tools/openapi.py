"""An OpenAPI document → one tool per operation.

Above: ``http`` sends, ``openapi_schema`` translates schemas, ``yaml_text``, ``names``. Below: hosts, and ``toolkit`` as
extra tools. Versions 3.0 and 3.1, JSON or YAML (https://spec.openapis.org/oas/v3.1.1). The document is a stranger's:
it decides no more than what its operations are called and what they take.

Guarantees: every operation is a tool or is listed with the reason why not. The host's headers go to one origin alone,
whatever servers the document names. Nothing is fetched.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

from rillet.core.tools.http import DEFAULT_NETWORK, LIMIT, TIMEOUT, Sender, endpoint_tool
from rillet.core.tools.http_request import OURS, Endpoint, Parameter
from rillet.core.tools.names import legal_name, outline
from rillet.core.tools.openapi_schema import Document, Schemas, readable
from rillet.core.tools.yaml_text import read_yaml

if TYPE_CHECKING:
    import httpx

    from rillet.core.net.profile import NetworkProfile
    from rillet.core.tools.http_request import Body, Style, Where
    from rillet.core.tools.tool import Tool

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch")
LARGEST_SCHEMA: Final = 64 * 1024
"""Bytes: what is larger costs more of a model's context than a tool is worth."""
_ARGUMENT = re.compile(r"[^a-zA-Z0-9_.-]+")
_PLACES: Mapping[str, tuple[Where, tuple[Style, ...]]] = {
    "path": ("path", ("simple",)),
    "query": ("query", ("form", "spaceDelimited", "pipeDelimited", "deepObject")),
    "header": ("header", ("simple",)),
    "cookie": ("cookie", ("form",)),
}
"""Where a parameter may stand, and the styles known there; the first is the one meant where none is said."""


class Skipped(NamedTuple):
    """An operation that became no tool."""

    operation: str
    """Such as "GET /pets/{id}"."""
    reason: str


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
    sender = Sender(network, timeout=timeout, limit=limit, environ=environ, transport=transport)
    reader = _Reader(Document(root))
    tools: list[Tool] = []
    skipped: list[Skipped] = []
    taken: dict[str, str] = {}
    for operation in reader.operations(skipped):
        if only is not None and operation.name not in only:
            continue
        try:
            server = base_url or _server_of(operation.node) or _server_of(operation.path_item) or document_server
            read = reader.read(operation, server, headers or {})
            if read.endpoint.origin != home and headers:
                raise ValueError(f"it is served by {read.endpoint.origin}, which is not to see the headers of {home}")
            name = legal_name(f"{prefix}{operation.name}")
            if other := taken.get(outline(name)):
                raise ValueError(f"{name} could be taken for {other}")
            tools.append(endpoint_tool(name, read.description, read.schema, read.endpoint, sender))
            taken[outline(name)] = f"{name} ({operation.label})"
        except ValueError as error:
            skipped.append(Skipped(operation.label, str(error)))
    return Imported(tuple(tools), tuple(skipped))


class _Operation(NamedTuple):
    method: str
    path: str
    path_item: Mapping[str, Any]
    node: Mapping[str, Any]

    @property
    def label(self) -> str:
        return f"{self.method.upper()} {self.path}"

    @property
    def name(self) -> str:
        """Its id, or what it does."""
        given = self.node.get("operationId")
        return given if isinstance(given, str) and given else legal_name(f"{self.method}{self.path}")


class _Read(NamedTuple):
    description: str
    schema: dict[str, Any]
    endpoint: Endpoint


class _Argument(NamedTuple):
    parameter: Parameter
    schema: Any
    required: bool


class _Reader:
    """Reads the operations of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def operations(self, skipped: list[Skipped]) -> Iterator[_Operation]:
        """All of them, in the order of the document; paths that cannot be read are skipped."""
        for path, item in _mapping(self._document.root.get("paths")).items():
            if not path.startswith("/"):  # an extension
                continue
            try:
                path_item = self._document.part(item)
            except ValueError as error:
                skipped.append(Skipped(path, str(error)))
                continue
            for method in METHODS:
                if isinstance(node := path_item.get(method), Mapping):
                    yield _Operation(method, path, path_item, node)

    def read(self, operation: _Operation, server: str, headers: Mapping[str, str]) -> _Read:
        """One operation.

        Raises:
            ValueError: it cannot be called by what this program knows.
        """
        schemas = Schemas(self._document)
        arguments = list(self._arguments(operation, schemas))
        properties = {each.parameter.name: each.schema for each in arguments}
        required = [each.parameter.name for each in arguments if each.required]
        body = self._body(operation, schemas)
        body_argument = None
        if body is not None:
            body_argument = "body" if "body" not in properties else "request_body"
            properties[body_argument] = body.schema
            required += [body_argument] if body.required else []
        schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
        if required:
            schema["required"] = required
        endpoint = Endpoint(
            method=operation.method.upper(),
            url=server.rstrip("/") + _with_arguments(operation.path, arguments),
            parameters=tuple(each.parameter for each in arguments if each.parameter.where != "path"),
            headers=headers,
            body=body.kind if body else "json",
            body_argument=body_argument,
            media_type=body.media_type if body else None,
        )
        if schemas.definitions:
            schema["$defs"] = schemas.definitions
        if (size := len(msgspec.json.encode(schema))) > LARGEST_SCHEMA:
            raise ValueError(f"its schema has {size} bytes")
        return _Read(_description(operation.node), schema, endpoint)

    def _arguments(self, operation: _Operation, schemas: Schemas) -> Iterator[_Argument]:
        """Everything outside of the body, under names of which each is there once."""
        parameters: dict[tuple[str, str], Mapping[str, Any]] = {}
        for node in (*_list(operation.path_item.get("parameters")), *_list(operation.node.get("parameters"))):
            part = self._document.part(node)
            parameters[str(part.get("in")), str(part.get("name"))] = part
        for name in re.findall(r"\{([^{}]+)\}", operation.path):
            parameters.setdefault(("path", name), {"in": "path", "name": name, "schema": {"type": "string"}})
        taken: set[str] = set()
        for (where, sent_as), node in parameters.items():
            if where == "header" and sent_as.lower() in OURS:
                continue  # "the parameter definition SHALL be ignored"
            if where == "path" and f"{{{sent_as}}}" not in operation.path:
                continue
            plain = _ARGUMENT.sub("_", sent_as).strip("_.")[:64] or where
            name = next(n for n in (plain, f"{where}_{plain}", f"{where}_{len(taken)}") if n not in taken)
            taken.add(name)
            yield self._argument(name, where, sent_as, node, schemas)

    def _argument(self, name: str, where: str, sent_as: str, node: Mapping[str, Any], schemas: Schemas) -> _Argument:
        if where not in _PLACES:
            raise ValueError(f"{name} belongs into {where!r}, which is no place")
        place, styles = _PLACES[where]
        content = _mapping(node.get("content"))
        wanted = "json" if content else str(node.get("style", styles[0]))
        style: Style | None = next((each for each in (*styles, "json") if each == wanted), None)
        if style is None:
            raise ValueError(f"{name} is written in the style {wanted!r}, which is not known here")
        described = next(iter(content.values()), {}) if content else node
        schema = schemas.translate(_mapping(described).get("schema", {}))
        if isinstance(schema, dict) and isinstance(said := node.get("description"), str) and "$ref" not in schema:
            schema = {"description": readable(said)} | schema
        parameter = Parameter(name, place, sent_as, style, bool(node.get("explode", style == "form")))
        return _Argument(parameter, schema, place == "path" or node.get("required") is True)

    def _body(self, operation: _Operation, schemas: Schemas) -> _Body | None:
        if "requestBody" not in operation.node or operation.method in ("get", "head"):
            return None
        node = self._document.part(operation.node["requestBody"])
        required = node.get("required") is True
        content = _mapping(node.get("content"))
        for media_type in sorted(content, key=_preference):
            kind = _kind(media_type)
            if kind is not None:
                wanted = _mapping(content[media_type]).get("schema", {})
                schema = {"type": "string"} if kind == "raw" else schemas.translate(wanted)
                return _Body(schema, required, kind, "application/json" if "*" in media_type else media_type)
        if required:
            raise ValueError(f"its body can only be {' or '.join(content) or 'nothing'}, which is not known here")
        return None


class _Body(NamedTuple):
    schema: Any
    required: bool
    kind: Body
    media_type: str


def _kind(media_type: str) -> Body | None:
    plain = media_type.partition(";")[0].strip().lower()
    if plain in ("application/json", "*/*", "application/*") or plain.endswith("+json"):
        return "json"
    if plain == "application/x-www-form-urlencoded":
        return "form"
    return "raw" if plain.startswith("text/") or plain.endswith(("/xml", "+xml", "/yaml")) else None


def _preference(media_type: str) -> int:
    order: tuple[Body | None, ...] = ("json", "form", "raw", None)
    return order.index(_kind(media_type))


def _with_arguments(path: str, arguments: list[_Argument]) -> str:
    """The path with its placeholders called as the arguments are."""
    names = {each.parameter.sent_as: each.parameter.name for each in arguments if each.parameter.where == "path"}
    return re.sub(r"\{([^{}]+)\}", lambda match: f"{{{names[match[1]]}}}", path)


def _description(node: Mapping[str, Any]) -> str:
    said = [node.get("summary"), node.get("description")]
    parts = dict.fromkeys(readable(text) for text in said if isinstance(text, str) and text.strip())
    return "\n\n".join((*(["(deprecated)"] if node.get("deprecated") is True else []), *parts))


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
    host = urlsplit(address).hostname
    if not host:
        return None
    if _is_private(host):
        raise ValueError(f"the document sends to the private address {host}: give base_url if that is meant")
    return address


def _is_private(host: str) -> bool:
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return host.rstrip(".").endswith("localhost") or host.rstrip(".").replace(".", "").isdecimal()


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
