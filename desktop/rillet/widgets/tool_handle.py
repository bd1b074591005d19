"""One tool call of an answer, from the side of whoever runs the tools.

Knows no widgets but the card's state. Above: ``transcript/tool``. Below: ``message_handle`` makes handles. Guarantees:
the first ``finish`` wins; every method is harmless after the view was deleted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.types import ImagePart
    from rillet.widgets.transcript.model import Tile
    from rillet.widgets.transcript.tool import ApprovalRequest, ToolSection, ToolStatus


class CallKeeper(Protocol):
    """What a tool handle needs of the message that it belongs to."""

    def call_grew(self, section: ToolSection) -> None:
        """There are more arguments to draw."""

    def call_changed(self, section: ToolSection, tiles: Sequence[Tile]) -> None:
        """These tiles show something else now."""

    def call_answered(
        self, section: ToolSection, output: str, *, is_error: bool, images: tuple[ImagePart, ...]
    ) -> None:
        """The result belongs into the history."""


class ToolHandle:
    """A tool call. Made by ``MessageHandle.toolCall``; two handles of one call are equal."""

    __slots__ = ("_keeper", "_section")

    def __init__(self, keeper: CallKeeper, section: ToolSection) -> None:
        self._keeper = keeper
        self._section = section

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolHandle) and other._section is self._section

    def __hash__(self) -> int:
        return hash(self._section)

    @property
    def id(self) -> str:
        """The id of the call, which its result refers to."""
        return self._section.id

    @property
    def name(self) -> str:
        """The tool."""
        return self._section.name

    @property
    def arguments(self) -> str:
        """The arguments so far, JSON text as sent."""
        return self._section.arguments

    @property
    def status(self) -> ToolStatus:
        """How far the call is."""
        return self._section.status

    def appendArguments(self, fragment: str) -> None:
        """The model goes on writing the arguments. Nothing happens when they are complete."""
        if self._section.growing and fragment:
            self._section.append(fragment)
            self._keeper.call_grew(self._section)

    def setStatus(self, status: ToolStatus) -> None:
        """Show how far the call is; every status but ``writing`` says that the arguments are complete."""
        if not self._section.over:
            self._section.set_status(status)
            self._keeper.call_changed(self._section, [self._section.card])

    def requestApproval(self, request: ApprovalRequest) -> None:
        """Ask whether it may run: ``ChatView.approvalAnswered`` brings the answer, and takes the question away."""
        if not self._section.over:
            self._section.set_status("waiting")
            self._section.request = request
            self._section.presented = False
            self._keeper.call_changed(self._section, [self._section.card, self._section.approval])

    def finish(
        self,
        output: str,
        isError: bool = False,
        seconds: float | None = None,
        images: Sequence[ImagePart] = (),
    ) -> None:
        """The tool has answered, or why it did not. ``seconds`` is what it took; by default the time since it ran.

        A call that was denied or stopped stays so; the model is told ``output`` all the same.
        """
        section = self._section
        if section.output is not None:
            return
        pictures = tuple(images)
        self._keeper.call_answered(section, output, is_error=isError, images=pictures)
        ended: ToolStatus = "failed" if isError else "done"
        section.set_result(output, section.status if section.over else ended, seconds, pictures)
        self._keeper.call_changed(section, [section.card])
