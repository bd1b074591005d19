"""What a composer says beside the text: what cannot be attached, what is waited for, how much it all is.

Above: ``token_estimate``. Below: ``composer`` gives each line its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel

from rillet.widgets.blocks.button import small_font

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from rillet.widgets.theme.palette import Theme

translate = QCoreApplication.translate

COUNTED_FROM: Final = 2000
"""Characters from which on the estimate is worth a place on the screen."""


class Notes:
    """The lines; none of them is there yet.

    Attributes:
        notice: What was refused.
        waiting: What is waited for.
        count: About how many tokens it all takes.
    """

    def __init__(self, parent: QWidget) -> None:
        self.notice = _label(parent)
        self.notice.setWordWrap(True)
        self.waiting = _label(parent)
        self.count = _label(parent)
        self.count.setToolTip(translate("Composer", "An estimate: models count differently"))

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        tokens = theme.tokens
        for label, colour in ((self.notice, tokens.danger), (self.waiting, tokens.muted), (self.count, tokens.muted)):
            label.setFont(small_font(theme))
            colours = label.palette()
            colours.setColor(label.foregroundRole(), QColor(colour))
            label.setPalette(colours)

    def refuse(self, sentence: str) -> None:
        """Say what cannot be done."""
        self.notice.setText(sentence)
        self.notice.show()

    def say_what_is_awaited(self, names: Sequence[str] | None) -> None:
        """Say that it will be sent once these have been read; None: nothing is waited for."""
        if names is not None:
            one = translate("Composer", "It will be sent once {name} has been read…")
            many = translate("Composer", "It will be sent once {count} files have been read…")
            words = one.format(name=names[0]) if len(names) == 1 else many.format(count=len(names))
            self.waiting.setText(words)
        self.waiting.setVisible(names is not None)

    def show_count(self, text: str, more: int) -> None:
        """Say about how many tokens ``text`` takes, and ``more`` beside it."""
        from rillet.core.token_estimate import estimate_tokens
        from rillet.widgets.composer.chip import short_number

        words = translate("Composer", "about {count} tokens")
        self.count.setText(words.format(count=short_number(more + estimate_tokens(text))))
        self.count.show()


def _label(parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(False)
    label.hide()
    return label
