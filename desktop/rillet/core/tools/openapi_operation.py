"""One operation of an OpenAPI document → how it is called: what a model is told of it, and the request it becomes.

Pure. Above: ``openapi_schema``, ``http_request``, ``names``. Below: ``openapi``. Guarantee: what this program could not
send as the document asks is a ``ValueError`` that says why, and never a request that is nearly right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from rillet.core.tools.http_request import OURS, Endpoint, Parameter
from rillet.core.tools.names import legal_name
from rillet.core.tools.openapi_schema import Document, Schemas, readable

if TYPE_CHECKING:
    from rillet.core.tools.http_request import Body, Style, Where

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch")
LARGEST_SCHEMA: Final = 64 * 1024
"""Bytes: what is larger costs more of a model's context than a tool is worth."""
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
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


class Operation(NamedTuple):
    """One method of one path."""

    method: str
    path: str
    path_item: Mapping[str, Any]
    node: Mapping[str, Any]

    @property
    def label(self) -> str:
        """Such as "GET /pets/{id}"."""
        return f"{self.method.upper()} {self.path}"

    @property
    def name(self) -> str:
        """Its id, or what it does."""
        given = self.node.get("operationId")
        return given if isinstance(given, str) and given else legal_name(f"{self.method}{self.path}")


class Call(NamedTuple):
    """How an operation is called."""

    description: str
    schema: dict[str, Any]
    endpoint: Endpoint


class _Argument(NamedTuple):
    parameter: Parameter
    schema: Any
    required: bool


def operations(document: Document) -> Iterator[Operation | Skipped]:
    """All of them, in the order of the document."""
    for path, item in _mapping(document.root.get("paths")).items():
        if not path.startswith("/"):  # an extension
            continue
        try:
            path_item = document.part(item)
        except ValueError as error:
            yield Skipped(path, str(error))
            continue
        for method in METHODS:
            if isinstance(node := path_item.get(method), Mapping):
                yield Operation(method, path, path_item, node)


class Reader:
    """Reads the operations of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def read(self, operation: Operation, server: str, headers: Mapping[str, str]) -> Call:
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
        return Call(_description(operation.node), schema, endpoint)

    def _arguments(self, operation: Operation, schemas: Schemas) -> Iterator[_Argument]:
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
        if where in ("header", "cookie") and not _TOKEN.fullmatch(sent_as):
            raise ValueError(f"{name} belongs into a {where}, which cannot be called {sent_as!r}")
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

    def _body(self, operation: Operation, schemas: Schemas) -> _Body | None:
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


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
