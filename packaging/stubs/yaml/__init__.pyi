# What rillet uses of PyYAML, which has no types of its own.
import re
from collections.abc import Callable
from typing import Any, ClassVar

class YAMLError(Exception): ...

class Mark:
    line: int
    column: int

class MarkedYAMLError(YAMLError):
    problem: str | None
    problem_mark: Mark | None

class ScalarNode:
    value: str

class SafeLoader:
    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]]
    @classmethod
    def add_implicit_resolver(cls, tag: str, regexp: re.Pattern[str], first: list[str]) -> None: ...
    @classmethod
    def add_constructor(cls, tag: str, constructor: Callable[[Any, ScalarNode], Any]) -> None: ...

class CSafeLoader(SafeLoader): ...

def load(stream: str, Loader: type[SafeLoader]) -> Any: ...
