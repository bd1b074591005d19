"""YAML written by strangers → plain JSON values: the front matter of skills, and OpenAPI documents.

Pure. Below: ``skills`` and ``openapi``. The types are those of YAML 1.2: ``no`` is a word, ``12:30`` and ``1_000`` are
text, and so is a date. Guarantee: nothing but dicts with string keys, lists, strings, numbers, booleans and None comes
out, as a tree: without loops, and no larger than the text could write out.
"""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

_LARGEST: Final = 2_000_000
"""Values after every alias was written out: nested aliases double with each line ("billion laughs")."""
_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # 20 times faster, where it was built


class _Json(_Loader):  # type: ignore[misc, valid-type]
    """The core schema of YAML 1.2 (https://yaml.org/spec/1.2.2/#103-core-schema)."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 (filled below)


for _tag, _pattern, _first in (
    ("null", r"null|Null|NULL|~|", "nN~"),
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
):
    _Json.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), list(_first))
_Json.yaml_implicit_resolvers[""] = _Json.yaml_implicit_resolvers["n"]
_Json.add_constructor("tag:yaml.org,2002:int", lambda _, node: int(node.value))  # 010 is ten
_Json.yaml_implicit_resolvers["<"] = [("tag:yaml.org,2002:merge", re.compile("^<<$"))]


def read_yaml(text: str) -> Any:
    """The value of one document.

    Raises:
        ValueError: it is no YAML, or holds what JSON cannot.
    """
    try:
        return _Plain().value(yaml.load(text, Loader=_Json))  # noqa: S506 (a loader of plain values)
    except yaml.MarkedYAMLError as error:
        line = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ValueError(f"no YAML: {error.problem or 'it cannot be read'}{line}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"no YAML: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise ValueError("no YAML that can be read: it is nested too deeply, or holds itself") from None


class _Plain:
    """A walk along every path, counting."""

    def __init__(self) -> None:
        self._left = _LARGEST

    def value(self, value: Any) -> Any:
        self._left -= 1
        if self._left < 0:
            raise ValueError("its aliases write out to more than can be read")
        match value:
            case dict():
                return {self._key(key): self.value(item) for key, item in value.items()}
            case list():
                return [self.value(item) for item in value]
            case str() | bool() | int() | float() | None:
                return value
            case _:
                raise ValueError(f"a {type(value).__name__} is nothing that JSON has")

    @staticmethod
    def _key(key: Any) -> str:
        """Keys as they were written: the statuses of OpenAPI's answers are numbers."""
        if isinstance(key, bool) or key is None:
            return {True: "true", False: "false", None: "null"}[key]
        return str(key)
