from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.net import public_routes
from rillet.core.net.profile import NetworkProfile
from rillet.core.net.public_routes import Guard
from rillet.core.tools.openapi import Imported, openapi_tools
from rillet.core.tools.schema import problems
from rillet.core.tools.tool import Effect, Tool, ToolContext
from support.fake_server import FakeServer, respond

DIRECT = NetworkProfile(proxy=None)
HOME = "https://pets.example.com/v1"

PETS = """
openapi: 3.0.3
info: {title: Pets, version: 1.0.0}
servers:
  - url: https://{region}.example.com/v1
    variables:
      region: {default: pets, enum: [pets, cats]}
paths:
  /pets:
    parameters:
      - {name: X-Trace, in: header, schema: {type: string}}
    get:
      operationId: listPets
      summary: List all pets
      description: In no order.
      parameters:
        - {name: limit, in: query, description: How many., schema: {type: integer, maximum: 100}}
        - {name: tags, in: query, explode: false, schema: {type: array, items: {type: string}}}
        - {name: 'filter[age]', in: query, schema: {type: integer, nullable: true}}
        - {name: Authorization, in: header, schema: {type: string}}
        - {name: theme, in: cookie, schema: {type: string}}
      responses: {200: {description: ok}}
    post:
      operationId: createPet
      requestBody:
        required: true
        content:
          text/plain: {}
          application/json; charset=utf-8: {schema: {$ref: '#/components/schemas/Pet'}}
      responses: {201: {description: created}}
  /pets/{pet-id}:
    parameters:
      - $ref: '#/components/parameters/PetId'
    get:
      deprecated: true
      parameters:
        - {name: pet-id, in: query, schema: {type: string}}
    delete: {operationId: delete pet}
  /photos:
    put:
      operationId: putPhoto
      requestBody: {required: true, content: {multipart/form-data: {}}}
  x-extension: {}
components:
  parameters:
    PetId: {name: pet-id, in: path, required: true, schema: {type: string}}
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties:
        id: {type: integer, readOnly: true}
        name: {type: string, example: Rex}
        age: {type: integer, minimum: 0, exclusiveMinimum: true, nullable: true}
        parent: {$ref: '#/components/schemas/Pet'}
        kind: {$ref: '#/components/schemas/Kind'}
    Kind: {type: string, enum: [dog, cat]}
"""


def imported(document: Any = PETS, **options: Any) -> dict[str, Tool]:
    return {tool.name: tool for tool in openapi_tools(document, network=DIRECT, **options).tools}


def document(paths: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {"openapi": "3.1.0", "servers": [{"url": HOME}], "paths": paths} | parts


def sent(tool: Tool, args: dict[str, Any], server: FakeServer) -> Any:
    result = asyncio.run(tool.run(args, ToolContext()))
    assert not result.is_error, result.output
    return server.requests[-1]


def test_every_operation_is_a_tool_or_says_why_not() -> None:
    found = openapi_tools(PETS)
    assert [tool.name for tool in found.tools] == ["listPets", "createPet", "get_pets_pet-id", "delete_pet"]
    assert [tuple(each) for each in found.skipped] == [
        ("PUT /photos", "its body can only be multipart/form-data, which is not known here")
    ]


def test_a_tool_says_what_its_operation_says() -> None:
    pets = imported()
    assert pets["listPets"].description == "List all pets\n\nIn no order."
    assert pets["get_pets_pet-id"].description == "(deprecated)"
    assert pets["listPets"].effects == {Effect.NETWORK}
    assert pets["delete_pet"].effects == {Effect.NETWORK, Effect.WRITE}
    assert pets["listPets"].input_schema == {
        "type": "object",
        "properties": {
            "X-Trace": {"type": "string"},
            "limit": {"type": "integer", "maximum": 100, "description": "How many."},
            "tags": {"type": "array", "items": {"type": "string"}},
            "filter_age": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "theme": {"type": "string"},
        },
        "additionalProperties": False,
    }


def test_a_body_brings_its_definitions_once_and_without_what_only_servers_say() -> None:
    assert imported()["createPet"].input_schema == {
        "type": "object",
        "properties": {
            "X-Trace": {"type": "string"},
            "body": {"$ref": "#/$defs/Pet"},
        },
        "required": ["body"],
        "additionalProperties": False,
        "$defs": {
            "Pet": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {"type": "string"},
                    "age": {"anyOf": [{"type": "integer", "exclusiveMinimum": 0}, {"type": "null"}]},
                    "parent": {"$ref": "#/$defs/Pet"},
                    "kind": {"$ref": "#/$defs/Kind"},
                },
            },
            "Kind": {"type": "string", "enum": ["dog", "cat"]},
        },
    }


def test_arguments_reach_the_places_that_the_document_gives_them() -> None:
    with FakeServer(respond(200, "ok")) as server:
        pets = imported(base_url=f"{server.url}/v1/", headers={"Authorization": "Bearer ${KEY}"}, environ={"KEY": "k1"})
        args = {"limit": 2, "tags": ["a", "b"], "filter_age": 3, "X-Trace": "t", "theme": "dark"}
        request = sent(pets["listPets"], args, server)
        assert (request.method, request.path) == ("GET", "/v1/pets?limit=2&tags=a,b&filter[age]=3")
        assert request.headers["x-trace"] == "t"
        assert request.headers["cookie"] == "theme=dark"
        assert request.headers["authorization"] == "Bearer k1"
        request = sent(pets["get_pets_pet-id"], {"pet-id": "a/b", "query_pet-id": "c"}, server)
        assert request.path == "/v1/pets/a%2Fb?pet-id=c"
        request = sent(pets["createPet"], {"body": {"name": "Rex", "parent": {"name": "Ada"}}}, server)
        assert (request.method, request.path) == ("POST", "/v1/pets")
        assert request.json == {"name": "Rex", "parent": {"name": "Ada"}}
        assert request.headers["content-type"] == "application/json; charset=utf-8"
        request = sent(pets["delete_pet"], {"pet-id": "7"}, server)
        assert (request.method, request.path) == ("DELETE", "/v1/pets/7")


def test_the_server_of_the_document_is_used_with_its_variables() -> None:
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(200, text="ok")

    pets = imported(transport=httpx.MockTransport(answer))
    asyncio.run(pets["delete_pet"].run({"pet-id": "7"}, ToolContext()))
    assert asked == ["https://pets.example.com/v1/pets/7"]


@pytest.mark.parametrize("text", [json.dumps(document({"/a": {"get": {}}})), b"\xef\xbb\xbfopenapi: 3.1.0\npaths: {}"])
def test_json_and_yaml_and_bytes_are_read(text: Any) -> None:
    assert openapi_tools(text, base_url=HOME).skipped == ()


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("", "no OpenAPI document"),
        ("[]", "no OpenAPI document"),
        ("a: b: c", "no YAML"),
        ({"swagger": "2.0"}, "version 2"),
        ({"openapi": "4.0"}, "version 3"),
        ({"openapi": "3.0.0", "paths": {}}, "give base_url"),
        ({"openapi": "3.0.0", "servers": [{"url": "/api"}]}, "give base_url"),
        ({"openapi": "3.0.0", "servers": [{"url": "http://169.254.169.254/latest"}]}, "metadata"),
        ({"openapi": "3.0.0", "servers": [{"url": "http://localhost:8000"}]}, "this machine"),
        ({"openapi": "3.0.0", "servers": [{"url": "http://[::1]/"}]}, "this machine"),
        ({"openapi": "3.0.0", "servers": [{"url": "http://2130706433/"}]}, "address in numbers"),
        ({"openapi": "3.0.0", "servers": [{"url": "http://0x7f.1:8000/"}]}, "address in numbers"),
        ({"openapi": "3.0.0", "servers": [{"url": "http://[::ffff:10.0.0.1]/"}]}, "a private network"),
        ({"openapi": "3.0.0", "servers": [{"url": "http://api.localhost/"}]}, "this machine"),
        ({"openapi": "3.0.0", "servers": [{"url": "https://good.example\\@evil.example/"}]}, "backslashes"),
        ({"openapi": "3.0.0", "servers": [{"url": "https://user@good.example/"}]}, "user name"),
        ({"openapi": "3.0.0", "servers": [{"url": "ftp://example.com"}]}, "must begin with https"),
    ],
)
def test_what_is_no_usable_document_is_an_error(broken: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        openapi_tools(broken)


def test_a_private_server_is_used_when_the_host_says_so() -> None:
    assert (
        len(openapi_tools({"openapi": "3.0.0", "paths": {"/a": {"get": {}}}}, base_url="http://localhost:1").tools) == 1
    )


def test_a_server_that_only_the_document_names_is_not_reached_at_a_private_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    monkeypatch.setattr(public_routes, "Guard", partial(Guard, resolve))
    with FakeServer(respond(200, "secret")) as server:
        address = f"http://pets.example.com:{server.port}"
        local = {"openapi": "3.0.0", "servers": [{"url": address}], "paths": {"/a": {"get": {}}}}
        [tool] = openapi_tools(local, network=DIRECT).tools
        result = asyncio.run(tool.run({}, ToolContext()))
        assert result.is_error
        assert "pets.example.com (127.0.0.1) is not public" in result.output
        assert server.accepted == 0


def test_names_that_could_be_mistaken_are_refused_and_both_named() -> None:
    paths = {"/a": {"get": {"operationId": "list-pets"}}, "/b": {"get": {"operationId": "List_Pets"}}}
    found = openapi_tools(document(paths))
    assert [tool.name for tool in found.tools] == ["list-pets"]
    [skipped] = found.skipped
    assert skipped == ("GET /b", "List_Pets could be taken for list-pets (GET /a)")


def test_a_long_or_strange_name_becomes_one_that_providers_take() -> None:
    paths = {
        f"/{n}": {"get": {"operationId": name}}
        for n, name in enumerate(["Pet.find.ByStatus", "x" * 80 + "a", "x" * 80 + "b", "ünïcode", "!!!"])
    }
    names = [tool.name for tool in openapi_tools(document(paths)).tools]
    assert names[0] == "Pet_find_ByStatus"
    assert len(set(names)) == 5


def test_the_headers_of_the_host_go_to_one_origin_only() -> None:
    paths = {
        "/a": {"get": {"operationId": "a", "servers": [{"url": "https://evil.example.net"}]}},
        "/b": {"servers": [{"url": "https://pets.example.com:444"}], "get": {"operationId": "b"}},
        "/c": {"get": {"operationId": "c", "servers": [{"url": "https://pets.example.com/v2"}]}},
    }
    found = openapi_tools(document(paths), headers={"X-Key": "k"})
    assert [tool.name for tool in found.tools] == ["c"]
    assert ["evil.example.net" in found.skipped[0].reason, ":444" in found.skipped[1].reason] == [True, True]
    assert len(openapi_tools(document(paths)).tools) == 3
    assert len(openapi_tools(document(paths), headers={"X-Key": "k"}, base_url=HOME).tools) == 3


def test_only_the_wanted_operations_are_taken() -> None:
    assert list(imported(only={"listPets"}, prefix="zoo_")) == ["zoo_listPets"]


def operation(**node: Any) -> Imported:
    return openapi_tools(document({"/a/{id}": {"post": {"operationId": "a"} | node}}, components=COMPONENTS))


COMPONENTS: dict[str, Any] = {
    "parameters": {"Loop": {"$ref": "#/components/parameters/Loop"}, "List": [{"name": "x", "in": "query"}]},
    "schemas": {
        "A": {"properties": {"b": {"$ref": "#/components/schemas/B"}}},
        "B": {"properties": {"a": {"$ref": "#/components/schemas/A"}}},
        "Deep": {"items": {"items": {"$ref": "#/components/schemas/Deep"}}},
        "Odd name/~": {"type": "string"},
        **{f"N{n}": {"properties": {"next": {"$ref": f"#/components/schemas/N{n + 1}"}}} for n in range(2000)},
        "N2000": {"type": "string"},
        "Huge": {"properties": {f"p{n}": {"type": "string"} for n in range(4000)}},
    },
}


def body(schema: Any) -> dict[str, Any]:
    return {"requestBody": {"content": {"application/json": {"schema": schema}}}}


@pytest.mark.parametrize(
    ("node", "reason"),
    [
        ({"parameters": [{"$ref": "#/components/parameters/Loop"}]}, "circles"),
        ({"parameters": [{"$ref": "#/nowhere"}]}, "points to nothing"),
        ({"parameters": [{"$ref": "other.yaml#/x"}]}, "outside of the document"),
        ({"parameters": ["x"]}, "no object"),
        ({"parameters": [{"name": "x", "in": "body"}]}, "no place"),
        ({"parameters": [{"name": "x y", "in": "header"}]}, "cannot be called"),
        ({"parameters": [{"name": "x; y", "in": "cookie"}]}, "cannot be called"),
        ({"parameters": [{"name": "x", "in": "path", "style": "matrix"}, {"name": "id", "in": "path"}]}, None),
        ({"parameters": [{"name": "id", "in": "path", "style": "matrix"}]}, "style 'matrix'"),
        (body({"$ref": "#/components/schemas/Nothing"}), "points to nothing"),
        (body({"$ref": "#/components/schemas/Huge"}), "more than"),
        (body({"$ref": "#/components/schemas/A"}), None),
        (body({"$ref": "#/components/schemas/Deep"}), None),
        (body({"$ref": "#/components/schemas/N0"}), "more than"),
        (body({"$ref": "#/components/schemas/N1500"}), None),
        (body({"$ref": "#/components/schemas/Odd%20name~1~0"}), None),
        (body({"$ref": "#/paths/~1a~1{id}/post/requestBody/content/application~1json/schema"}), None),
        ({"parameters": [{"$ref": "#/components/parameters/List/0"}]}, None),
        ({"parameters": [{"name": "q", "in": "query", "content": {"application/json": {"schema": {}}}}]}, None),
        ({"requestBody": {"content": {"multipart/form-data": {}}}}, None),
        ({"parameters": 5, "description": 5, "tags": None}, None),
    ],
)
def test_references_are_followed_or_the_operation_is_skipped_with_the_reason(node: Any, reason: str | None) -> None:
    found = operation(**node)
    if reason is None:
        [tool] = found.tools
        assert problems(tool.input_schema, {"id": "1"}) == []
        json.dumps(tool.input_schema)
    else:
        [skipped] = found.skipped
        assert reason in skipped.reason
        assert found.tools == ()


def test_a_strangers_text_is_bounded_and_hides_nothing() -> None:
    hidden = "Re\u200bads\U000e0041 it.\nAll\u202e of it."
    [tool] = operation(summary=hidden, description="x" * 5000, **body({"description": hidden, "type": "string"})).tools
    assert tool.description == "Reads it.\nAll of it.\n\n" + "x" * 1024
    assert tool.input_schema["properties"]["body"] == {"description": "Reads it.\nAll of it.", "type": "string"}


def test_a_schema_that_would_fill_a_context_is_refused() -> None:
    [skipped] = operation(**body({"enum": [f"value {n}" for n in range(9000)]})).skipped
    assert "bytes" in skipped.reason


def test_a_form_and_a_text_are_bodies_too() -> None:
    form = {"application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": {"a": {}}}}}
    paths = {
        "/form": {"post": {"operationId": "form", "requestBody": {"content": form}}},
        "/text": {"post": {"operationId": "text", "requestBody": {"content": {"text/csv": {}}}}},
        "/any": {"post": {"operationId": "any", "requestBody": {"content": {"*/*": {}}}}},
    }
    with FakeServer(respond(200, "ok")) as server:
        tools = imported(document(paths), base_url=server.url)
        request = sent(tools["form"], {"body": {"a": "x y"}}, server)
        assert (request.body, request.headers["content-type"]) == (b"a=x%20y", "application/x-www-form-urlencoded")
        request = sent(tools["text"], {"body": "a,b"}, server)
        assert (request.body, request.headers["content-type"]) == (b"a,b", "text/csv")
        request = sent(tools["any"], {"body": [1]}, server)
        assert (request.body, request.headers["content-type"]) == (b"[1]", "application/json")


KEYS = st.one_of(
    st.sampled_from(("get", "post", "parameters", "name", "in", "schema", "$ref", "requestBody", "content", "servers")),
    st.sampled_from(("properties", "required", "nullable", "type", "application/json", "url", "operationId", "style")),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.just("#/paths") | st.just("#/paths/~1a"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=30,
)


@given(paths=st.dictionaries(st.sampled_from(("/a", "/b/{x}", "/c/{y}/{z}")), JSON))
def test_any_document_gives_tools_or_reasons(paths: dict[str, Any]) -> None:
    found = openapi_tools(document(paths))
    assert all(json.dumps(tool.input_schema) for tool in found.tools)
    assert all(each.reason for each in found.skipped)
