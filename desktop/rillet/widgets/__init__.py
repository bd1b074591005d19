"""Widgets that any Qt program can embed: the chat view, the composer, the blocks of a message.

From the question to the pixel: ``chat_view`` (what a host sees), ``binding`` (a view and a client make a chat),
``conversation`` (its messages), ``message_handle`` (one of them being filled), ``transcript`` (what is where),
``markdown`` (text to documents), ``blocks`` (documents to widgets), ``composer`` (what the person writes), ``theme``
(how all of it looks).
"""

from typing import TYPE_CHECKING

from rillet.lazy import exports

if TYPE_CHECKING:
    from rillet.widgets.binding import ChatBinding, bind
    from rillet.widgets.chat_view import ChatView
    from rillet.widgets.composer import Composer
    from rillet.widgets.figures import Figures
    from rillet.widgets.file_viewer import FileViewer
    from rillet.widgets.image_viewer import ImageViewer
    from rillet.widgets.message_handle import MessageHandle
    from rillet.widgets.run_listener import RunListener
    from rillet.widgets.tool_handle import ToolHandle
    from rillet.widgets.transcript.tool import ApprovalAnswer, ApprovalRequest

__all__ = [
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

__getattr__, __dir__ = exports(
    __name__,
    {
        "rillet.widgets.binding": ("ChatBinding", "bind"),
        "rillet.widgets.chat_view": ("ChatView",),
        "rillet.widgets.composer": ("Composer",),
        "rillet.widgets.figures": ("Figures",),
        "rillet.widgets.file_viewer": ("FileViewer",),
        "rillet.widgets.image_viewer": ("ImageViewer",),
        "rillet.widgets.message_handle": ("MessageHandle",),
        "rillet.widgets.run_listener": ("RunListener",),
        "rillet.widgets.tool_handle": ("ToolHandle",),
        "rillet.widgets.transcript.tool": ("ApprovalAnswer", "ApprovalRequest"),
    },
)
