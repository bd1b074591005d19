"""What a chat shows in windows of their own: images, files, what was sent for a message; and links, in the browser.

Above: ``opening``, ``wire_view``, the viewers of ``widgets``. Below: ``window`` connects them to each chat. Everything
is imported when it is wanted first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from rillet.core.net.exchange_log import Exchange
    from rillet.core.types import FilePart, ImagePart
    from rillet.widgets.chat_view import ChatView


class Viewers(QObject):
    """Opens what is clicked, over one window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window

    def serve(self, view: ChatView) -> None:
        """Open what is clicked in this view."""
        view.linkActivated.connect(self.openLink)
        view.imageRequested.connect(self.openLink)
        view.imageActivated.connect(self.showImage)
        view.fileActivated.connect(self.showFile)

    @Slot(QUrl)
    def openLink(self, url: QUrl) -> None:
        """Hand a link, or the address of a picture, that was clicked to the desktop; nothing else is opened."""
        from rillet.app.opening import open_address

        open_address(url)

    @Slot(object)
    def showImage(self, part: ImagePart) -> None:
        """Show an image of a message large."""
        from rillet.widgets.image_viewer import ImageViewer

        ImageViewer(part, self._window).show()

    @Slot(object)
    def showFile(self, part: FilePart) -> None:
        """Show what a file of a message says."""
        from rillet.widgets.file_viewer import FileViewer

        FileViewer(part, self._window).show()

    @Slot(object)
    def showWire(self, exchanges: Sequence[Exchange]) -> None:
        """Show what was sent for a message, and what came."""
        from rillet.app.wire_view import WireView
        from rillet.widgets.theme.palette import applied

        WireView(exchanges, applied(self._window.palette()), self._window).show()
