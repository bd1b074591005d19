"""What a host may rely on, name by name: a change here is a change of the contract."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import rillet
import rillet.qt
import rillet.widgets

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[1]

CORE = [
    "Agent",
    "AgentRun",
    "Answer",
    "AsyncLlmClient",
    "AuthError",
    "CallRule",
    "Cancelled",
    "ChatMessage",
    "ChatRequest",
    "ChatResponse",
    "CommandRule",
    "Consent",
    "ConsentBook",
    "ContentFilterError",
    "ContextLengthError",
    "ConversationFile",
    "ConversationStore",
    "Delta",
    "Effect",
    "EmbeddingRequest",
    "EmbeddingResponse",
    "FilePart",
    "FinishReason",
    "Finished",
    "Grant",
    "GrantBook",
    "Hooks",
    "HostRule",
    "ImagePart",
    "InvalidRequestError",
    "LlmError",
    "McpServers",
    "MemoryConversationStore",
    "Metric",
    "Model",
    "ModelNotFoundError",
    "NetworkError",
    "NetworkProfile",
    "OpaquePart",
    "OverloadedError",
    "Part",
    "PartDelta",
    "PathRule",
    "Pending",
    "Policy",
    "Provider",
    "RateLimitError",
    "ReasoningDelta",
    "ReasoningPart",
    "Replacement",
    "Request",
    "Restarted",
    "RetryNotice",
    "RetryPolicy",
    "RunResult",
    "ServerError",
    "Skill",
    "Skills",
    "StreamEvent",
    "TextDelta",
    "TextPart",
    "TimedOutError",
    "Tool",
    "ToolCall",
    "ToolCallDelta",
    "ToolCallPart",
    "ToolCallRecord",
    "ToolContext",
    "ToolResult",
    "ToolResultPart",
    "ToolRule",
    "ToolSpec",
    "Toolkit",
    "Usage",
    "UsageDelta",
    "Workspace",
    "__version__",
    "compactor",
    "fold",
    "http_tool",
    "openapi_tools",
    "tool",
]
QT = [
    "AgentClient",
    "AgentListener",
    "AsyncResource",
    "Engine",
    "LlmClient",
    "Reply",
    "StreamSignals",
    "StreamingListener",
]
WIDGETS = [
    "ApprovalAnswer",
    "ApprovalRequest",
    "ChatBinding",
    "ChatView",
    "Composer",
    "Figures",
    "FileViewer",
    "ImageViewer",
    "MessageHandle",
    "RunListener",
    "ToolHandle",
    "bind",
]


def test_rillet_offers_these_names_and_each_resolves() -> None:
    assert sorted(rillet.__all__) == sorted(CORE)
    assert all(getattr(rillet, name) is not None for name in rillet.__all__)
    assert set(rillet.__all__) <= set(dir(rillet))


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(rillet, "Nonsense")


def test_the_qt_wing_offers_these_names() -> None:
    assert sorted(rillet.qt.__all__) == QT
    assert all(getattr(rillet.qt, name) for name in QT)


def test_the_widgets_wing_offers_these_names() -> None:
    assert sorted(rillet.widgets.__all__) == WIDGETS
    assert all(getattr(rillet.widgets, name) for name in WIDGETS)


@pytest.mark.parametrize("package", [rillet, rillet.qt, rillet.widgets], ids=lambda package: package.__name__)
def test_the_type_checker_and_the_interpreter_find_each_name_in_the_same_module(package: ModuleType) -> None:
    assert package.__file__ is not None
    tree = ast.parse(Path(package.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    call = next(node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "exports")
    homes = ast.literal_eval(call.args[1])
    assert typed == {name: home for home, names in homes.items() for name in names}
    assert sorted(package.__all__) == sorted({*typed, "__version__"} & {*dir(package)})


def test_every_package_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    desktop = ROOT / "desktop"
    packages = {".".join(file.parent.relative_to(desktop).parts) for file in desktop.rglob("__init__.py")}
    assert set(project["tool"]["setuptools"]["packages"]) == packages | {"rillet.resources"}


def test_the_version_is_said_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == rillet.__version__
