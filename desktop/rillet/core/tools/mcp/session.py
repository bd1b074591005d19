"""One conversation with one server: the SDK's session over a link of ours, from the handshake to the end.

The only place that drives the SDK. Above: ``link``, ``calls``, ``content``, ``definition``. Below: ``server`` owns it,
in one task that enters and leaves it; its methods may be awaited from any task of that loop, and a cancelled one tells
the server so. Guarantees: nothing that a server sends leaves as anything but a value of ours or a ``ServerFailure``;
lists end (their pages, their entries and their cursors are limited); no schema of a stranger is compiled or matched;
sampling is refused; the workspace is named only where it was trusted.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, TypeVar

import mcp_types as protocol
from mcp.client.session import ClientSession
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost, listen
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

from rillet.core.tools.mcp.calls import Calls, RunningCall
from rillet.core.tools.mcp.content import result_of, text_of
from rillet.core.tools.mcp.definition import define
from rillet.core.tools.mcp.failure import ServerFailure
from rillet.core.tools.mcp.listing import MOST_LISTED, Listing, PromptInfo, ResourceInfo
from rillet.core.tools.mcp.patience import Patience
from rillet.core.tools.tool import ToolResult
from rillet.core.types import ChatMessage
from rillet.core.wire.surrogates import mend, mend_all
from rillet.version import __version__

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path
    from types import TracebackType

    from mcp.client.session import ClientRequestContext

    from rillet.core.tools.mcp.config import ServerConfig
    from rillet.core.tools.mcp.link import Link
    from rillet.core.tools.mcp.log_ring import LogRing
    from rillet.core.tools.tool import ToolContext

T = TypeVar("T")
MOST_PAGES: Final = 100
MOST_ROUNDS: Final = 8
"""Times that one call may come back with questions (2026-07-28)."""
LONGEST_MESSAGE: Final = 2000
_NO_HANDSHAKE: Final = (protocol.METHOD_NOT_FOUND, protocol.UNSUPPORTED_PROTOCOL_VERSION)
"""How a server says that it knows no ``initialize`` any more."""
_CALL_RESULT: Final[TypeAdapter[protocol.CallToolResult | protocol.InputRequiredResult]] = TypeAdapter(
    protocol.CallToolResult | protocol.InputRequiredResult
)


class Session:
    """Enter it to connect and shake hands; leave it in the same task."""

    def __init__(
        self,
        config: ServerConfig,
        link: Link,
        log: LogRing,
        *,
        workspace: Path | None = None,
        on_tools_changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._config = config
        self._link = link
        self._log = log
        self._workspace = workspace
        self._on_tools_changed = on_tools_changed
        self._calls = Calls(log)
        self._stack = AsyncExitStack()
        self._watch: asyncio.Task[None] | None = None
        self._session: ClientSession

    async def __aenter__(self) -> Session:
        """Connect.

        Raises:
            ServerFailure: it cannot be talked to.
        """
        _ours.set(True)
        try:
            incoming, outgoing = await self._stack.enter_async_context(self._link)
            self._session = await self._stack.enter_async_context(
                ClientSession(
                    incoming,
                    outgoing,
                    elicitation_callback=self._elicit,
                    list_roots_callback=None if self._workspace is None else self._roots,
                    logging_callback=self._logged,
                    message_handler=self._notified,
                    client_info=protocol.Implementation(name="rillet", version=__version__),
                )
            )
            await self._shake_hands()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait([self._watch])
        await self._stack.aclose()

    @property
    def lost(self) -> asyncio.Event:
        """Set once the server is gone."""
        return self._link.lost

    @property
    def reason(self) -> ServerFailure | None:
        """Why it is gone, when it is."""
        return self._link.reason

    @property
    def instructions(self) -> str:
        """What the server says about itself, for people. (A stranger's words have no place in a system prompt.)"""
        return mend(self._session.instructions or "")[:LONGEST_MESSAGE]

    async def tools(self) -> Listing:
        """All tools that it lists now.

        Raises:
            ServerFailure: the list does not come, or is none.
        """
        listing = Listing()
        capabilities = self._session.server_capabilities
        if capabilities is None or capabilities.tools is None:
            return listing

        async def page(params: protocol.PaginatedRequestParams | None) -> str | None:
            result = await self._session.list_tools(params=params)
            for each in result.tools:
                if listing.is_full:
                    self._log.note(f"it lists more than {MOST_LISTED} tools: the others were left")
                    return None
                if each.execution is not None and each.execution.task_support == "required":
                    listing.refuse(each.name, "it runs only as a task, which nobody here can follow")
                    continue
                try:
                    listing.add(define(each.name, each.description or each.title, each.input_schema))
                except ValueError as error:
                    listing.refuse(each.name, str(error))
            return result.next_cursor

        await self._pages(page, lambda: listing.is_full, "tools")
        return listing

    async def resources(self) -> tuple[ResourceInfo, ...]:
        """All resources that it lists now.

        Raises:
            ServerFailure: the list does not come, or is none.
        """
        found: list[ResourceInfo] = []
        capabilities = self._session.server_capabilities
        if capabilities is None or capabilities.resources is None:
            return ()

        async def page(params: protocol.PaginatedRequestParams | None) -> str | None:
            result = await self._session.list_resources(params=params)
            found.extend(ResourceInfo.of(each) for each in result.resources)
            return result.next_cursor

        await self._pages(page, lambda: len(found) >= MOST_LISTED, "resources")
        return tuple(found[:MOST_LISTED])

    async def prompts(self) -> tuple[PromptInfo, ...]:
        """All prompts that it lists now.

        Raises:
            ServerFailure: the list does not come, or is none.
        """
        found: list[PromptInfo] = []
        capabilities = self._session.server_capabilities
        if capabilities is None or capabilities.prompts is None:
            return ()

        async def page(params: protocol.PaginatedRequestParams | None) -> str | None:
            result = await self._session.list_prompts(params=params)
            found.extend(PromptInfo.of(each) for each in result.prompts)
            return result.next_cursor

        await self._pages(page, lambda: len(found) >= MOST_LISTED, "prompts")
        return tuple(found[:MOST_LISTED])

    async def read(self, uri: str) -> ToolResult:
        """What a resource holds: text, and images.

        Raises:
            ServerFailure: it cannot be read.
        """
        result = await self._limited(self._session.read_resource(uri), self._config.call_timeout)
        return text_of(result.contents)

    async def prompt(self, name: str, arguments: dict[str, str]) -> tuple[ChatMessage, ...]:
        """A prompt, filled in: messages of the user and of the model.

        Raises:
            ServerFailure: there is none, or the arguments do not fit.
        """
        result = await self._limited(self._session.get_prompt(name, arguments), self._config.call_timeout)
        messages = []
        for each in result.messages:
            told = result_of(protocol.CallToolResult(content=[each.content]))
            made = ChatMessage.user if each.role == "user" else ChatMessage.assistant
            messages.append(made(told.output, *told.images))
        return tuple(messages)

    async def call(self, tool: str, args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        """Run a tool, by the server's name for it.

        Raises:
            ServerFailure: there was no result.
        """
        limit, is_local = self._config.call_timeout, self._config.is_local
        running = RunningCall(self._config.name, tool, args, ctx, limit, is_local=is_local)
        self._calls.add(running)
        patience = Patience(limit)
        running.limited_by(patience)
        try:
            async with patience:
                result = await self._rounds(running, tool, mend_all(args))
        except TimeoutError:
            if not patience.is_over:
                raise
            raise ServerFailure(f"it did not answer within {limit:g} s") from None
        except (MCPError, ValidationError) as error:
            if running.suspended_on is None:
                raise self._failure(error) from error
            return ToolResult.suspended(running.suspended_on)
        finally:
            self._calls.remove(running)
        return result if running.suspended_on is None else ToolResult.suspended(running.suspended_on)

    async def _rounds(self, running: RunningCall, tool: str, args: dict[str, Any]) -> ToolResult:
        """Call until there is a result; in between the server may have questions (2026-07-28), or want a visit."""
        responses: protocol.InputResponses | None = None
        state: str | None = None
        for _ in range(MOST_ROUNDS):
            params = protocol.CallToolRequestParams(
                name=tool, arguments=args, input_responses=responses, request_state=state
            )
            request = protocol.CallToolRequest(params=params)
            try:
                result = await self._session.send_request(request, _CALL_RESULT, progress_callback=running.on_progress)
            except MCPError as error:
                if error.code != protocol.URL_ELICITATION_REQUIRED or not await self._visit(error):
                    raise
                continue
            if isinstance(result, protocol.CallToolResult):
                return result_of(result)
            responses, state = await self._answers(result), result.request_state
            if running.suspended_on is not None:
                return ToolResult("")
        raise ServerFailure(f"it asked more than {MOST_ROUNDS} times")

    async def _answers(self, result: protocol.InputRequiredResult) -> protocol.InputResponses:
        answers: protocol.InputResponses = {}
        for key, request in (result.input_requests or {}).items():
            match request:
                case protocol.ElicitRequest():
                    answers[key] = await self._calls.elicit(request.params)
                case protocol.ListRootsRequest():
                    answers[key] = protocol.ListRootsResult(roots=self._root_list())
                case _:
                    raise ServerFailure("it wants to use the model, which is not allowed")
        return answers

    async def _visit(self, error: MCPError) -> bool:
        """Have the user go where an error sends him; whether he did."""
        try:
            wanted = protocol.ElicitationRequiredErrorData.model_validate(error.error.data)
        except ValidationError:
            return False
        results = [await self._calls.elicit(each) for each in wanted.elicitations[:1]]
        return bool(results) and all(result.action == "accept" for result in results)

    async def _shake_hands(self) -> None:
        """The handshake that every server knows; of a server that knows only what came after, that."""
        try:
            try:
                await self._session.initialize()
            except MCPError as error:
                if error.code not in _NO_HANDSHAKE:
                    raise
                await self._session.discover()
        except (MCPError, ValidationError, RuntimeError) as error:
            raise self._failure(error) from error
        capabilities = self._session.server_capabilities
        if (
            self._session.protocol_version in MODERN_PROTOCOL_VERSIONS
            and capabilities is not None
            and capabilities.tools is not None
            and capabilities.tools.list_changed
        ):
            self._watch = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        """Be told of new tools by a server of 2026-07-28; older ones tell unasked."""
        try:
            async with listen(self._session, tools_list_changed=True) as events:
                async for _ in events:
                    self._on_tools_changed()
        except (MCPError, SubscriptionLost, ListenNotSupportedError) as error:
            self._log.note(f"changes of its tools will not be noticed: {error}")

    async def _pages(
        self,
        page: Callable[[protocol.PaginatedRequestParams | None], Awaitable[str | None]],
        is_full: Callable[[], bool],
        what: str,
    ) -> None:
        async def all_pages() -> None:
            cursors: set[str] = set()
            params = None
            for _ in range(MOST_PAGES):
                cursor = await page(params)
                if cursor is None:
                    return
                if cursor in cursors:
                    self._log.note(f"the list of {what} goes in circles: the rest was left")
                    return
                if is_full():
                    break
                cursors.add(cursor)
                params = protocol.PaginatedRequestParams(cursor=cursor)
            self._log.note(f"the list of {what} is too long: the rest was left")

        await self._limited(all_pages(), self._config.list_timeout)

    async def _limited(self, work: Awaitable[T], seconds: float) -> T:
        try:
            async with asyncio.timeout(seconds) as clock:
                return await work
        except TimeoutError:
            if not clock.expired():
                raise
            raise ServerFailure(f"it did not answer within {seconds:g} s") from None
        except (MCPError, ValidationError, RuntimeError) as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> ServerFailure:
        """What went wrong, in a sentence; why the link was lost says more than that it was."""
        if self._link.reason is not None:
            return self._link.reason
        if isinstance(error, ValidationError):
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(step) for step in first["loc"])
            return ServerFailure(f"what it sent is not what the protocol says: {where}: {first['msg']}")
        return ServerFailure(mend(str(error))[:LONGEST_MESSAGE] or "it failed and did not say why")

    async def _elicit(
        self, context: ClientRequestContext, params: protocol.ElicitRequestParams
    ) -> protocol.ElicitResult | protocol.ErrorData:
        return await self._calls.elicit(params)

    async def _roots(self, context: ClientRequestContext) -> protocol.ListRootsResult | protocol.ErrorData:
        return protocol.ListRootsResult(roots=self._root_list())

    def _root_list(self) -> list[protocol.Root]:
        if self._workspace is None:
            return []
        return [protocol.Root.model_validate({"uri": self._workspace.as_uri(), "name": self._workspace.name})]

    async def _logged(self, params: protocol.LoggingMessageNotificationParams) -> None:
        text = params.data if isinstance(params.data, str) else repr(params.data)[: 4 * LONGEST_MESSAGE]
        self._log.note(f"{params.level}: {text}")

    async def _notified(self, message: protocol.ServerNotification | Exception) -> None:
        if isinstance(message, protocol.ToolListChangedNotification):
            self._on_tools_changed()


_ours: ContextVar[bool] = ContextVar("_ours", default=False)

for _name in ("client", "mcp.shared.jsonrpc_dispatcher"):  # which write what a server sent; other users keep their logs
    logging.getLogger(_name).addFilter(lambda _record: not _ours.get())
