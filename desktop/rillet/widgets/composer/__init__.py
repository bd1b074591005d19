"""Where a person writes: a text field that grows, what is attached to it, and one button that sends or stops.

``composer`` is the widget. In the order data flows: ``intake`` (what a clipboard or a drop means), ``limits`` (how
much may be attached), ``attachment`` (one thing beside the text), ``fitting`` (images as providers accept them),
``incoming`` (a file that is being read), ``chip`` and ``chips`` (they are seen and removed), ``preview`` (what will be
sent), ``folder_model`` and ``folder_dialog`` (what of a folder is), ``choosing`` (these windows), ``field`` (the
text), ``completion`` (commands and mentions), ``history`` (what was sent before), ``undo`` and ``tray`` (one order for
text and attachments), ``draft`` (all of it as a value), ``notes`` (what is said beside it). Knows neither transcripts
nor clients.
"""

from typing import TYPE_CHECKING

from rillet.lazy import exports

if TYPE_CHECKING:
    from rillet.widgets.composer.attachment import Attachment, attachment_of
    from rillet.widgets.composer.composer import Composer
    from rillet.widgets.composer.draft import Draft
    from rillet.widgets.composer.field import SendKey
    from rillet.widgets.composer.limits import Limits

__all__ = ["Attachment", "Composer", "Draft", "Limits", "SendKey", "attachment_of"]

__getattr__, __dir__ = exports(
    __name__,
    {
        "rillet.widgets.composer.attachment": ("Attachment", "attachment_of"),
        "rillet.widgets.composer.composer": ("Composer",),
        "rillet.widgets.composer.draft": ("Draft",),
        "rillet.widgets.composer.field": ("SendKey",),
        "rillet.widgets.composer.limits": ("Limits",),
    },
)
