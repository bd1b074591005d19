"""The gauge in the header: how much of the model's window the chat takes; pressed, it opens the ledger.

Above: ``core/chat/context``, ``session``. Below: ``window`` puts it there and says which chat it follows. The ledger is
imported when it is first opened. Guarantees: it calls an estimate one, and says nothing of a window that is not known;
it says what there is room for, and never part of a figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap
from shiboken6 import isValid

from rillet.app import coroutines
from rillet.app.chats.plans import plan_for
from rillet.app.models.words import tokens
from rillet.core.store import ledger
from rillet.core.store.trouble import Missing
from rillet.widgets.blocks.button import Button, size_with
from rillet.widgets.plain import tool_tip

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from rillet.app.chats.session import Session
    from rillet.app.services import Services
    from rillet.core.chat.context import Ledger
    from rillet.core.store.ledger import Spending
    from rillet.widgets.theme.palette import Theme

SETTLE_MS: Final = 60
"""Changes that come together are weighed together."""
_SCALE: Final = 3
_SIZE: Final = 16


class ContextGauge(Button):
    """Follows one chat. It is not there for one in which nothing was said.

    Attributes:
        services: What the program has.
        ledger, spending: What was weighed last; None: nothing was.

    Signals:
        weighed(): There is another ``ledger`` now, or another ``spending``.
    """

    weighed = Signal()

    def __init__(self, services: Services, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("details", parent=parent)
        self.services = services
        self._session: Session | None = None
        self.ledger: Ledger | None = None
        self.spending: Spending | None = None
        self._wordings = ("", "")
        """What it can say: at length, and in short. Where there is no room for that either, it is the icon alone."""
        self._room = (0, 0)
        self._asked = 0  # (how often: what was weighed before the last time is out of date)
        self._timer = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._timer.timeout.connect(self._begin)
        self.clicked.connect(self.open)
        services.choiceChanged.connect(self.refresh)
        services.catalogue.changed.connect(self.refresh)
        services.overflowChanged.connect(self.refresh)
        self.set_theme(theme)
        self.hide()

    @property
    def session(self) -> Session:
        """The chat that it follows."""
        assert self._session is not None
        return self._session

    def follow(self, session: Session) -> None:
        """Show how full this chat is."""
        before, self._session = self._session, session
        if before is not session:
            self.ledger = self.spending = None
            session.settings.changed.connect(self.refresh)
            session.answeringChanged.connect(self.refresh)
            session.reloaded.connect(self.refresh)
            session.contextChanged.connect(self.refresh)
            session.horizon.ledgerRequested.connect(self.open)
        if before is not None and before is not session:
            before.settings.changed.disconnect(self.refresh)
            before.answeringChanged.disconnect(self.refresh)
            before.reloaded.disconnect(self.refresh)
            before.contextChanged.disconnect(self.refresh)
            before.horizon.ledgerRequested.disconnect(self.open)
        self._show()
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Weigh the chat anew, soon."""
        if self._session is not None:
            self._asked += 1
            self._timer.start()

    def fit(self, most: int, comfortable: int) -> None:
        """Say what there is room for: so many pixels at most, and so many before anything else has to give way."""
        self._room = (most, comfortable)
        self._say()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and font."""
        super().set_theme(theme)
        self._say()

    @Slot()
    def open(self) -> None:
        """Show what goes along."""
        from rillet.app.models.context_card import ContextCard

        assert self._theme is not None
        if self.ledger is not None:
            ContextCard(self, self._theme)

    @Slot()
    def _begin(self) -> None:
        if self.window().isVisible():  # (not of a window that was closed meanwhile)
            coroutines.start(self._weigh())

    async def _weigh(self) -> None:
        session, asked = self.session, self._asked
        chat_id = session.chat_id
        if chat_id is None:
            return
        plan, desk = plan_for(self.services, session.settings.values), self.services.desk
        try:
            weighed = await desk.do(lambda desk: desk.context(chat_id, plan))
        except Missing:
            return  # (it was deleted for good, or is kept under another number by now)
        spent = await desk.shelf(chat_id).read(ledger.spent, chat_id)
        if isValid(self) and session is self._session and asked == self._asked:
            self.ledger, self.spending = weighed, spent
            self._show()
            session.horizon.show(weighed)
            self.weighed.emit()

    def _show(self) -> None:
        weighed = self.ledger
        self.setVisible(weighed is not None and bool(weighed.turns))
        if weighed is None:
            return
        if weighed.share is None:
            at_length, in_short = self.tr("≈ {count} tokens"), "≈ {count}"
            said = self.tr("About {used} tokens go along with the next question")
        else:
            at_length, in_short = self.tr("≈ {count} / {size} tokens"), "{share}"
            said = self.tr("About {used} of the model's {window} tokens are taken, {share}")
        figures = {
            "count": tokens(weighed.used),
            "size": tokens(weighed.window or 0),
            "share": f"{weighed.share or 0:.0%}",
            "used": f"{weighed.used:,}",
            "window": f"{weighed.window or 0:,}",
        }
        self._wordings = (at_length.format(**figures), in_short.format(**figures))
        self.setAccessibleName(said.format(**figures))
        self.setToolTip(tool_tip(self.accessibleName()))
        self._tint()
        self._say()

    def _say(self) -> None:
        assert self._theme is not None
        most, comfortable = self._room
        at_length, in_short = self._wordings
        if size_with(self._icon_name, at_length, self._theme).width() <= comfortable:
            text = at_length
        elif size_with(self._icon_name, in_short, self._theme).width() <= most:
            text = in_short
        else:
            text = ""
        if text != self.text():
            self.setText(text)
            self.updateGeometry()

    def _tint(self) -> None:
        """Draw the gauge as the button's icon."""
        if self._theme is None:
            return
        share = 0.0 if self.ledger is None or self.ledger.share is None else min(1.0, self.ledger.share)
        colours = self._theme.tokens
        ink = QColor(colours.muted if share < 0.75 else colours.warning if share < 0.9 else colours.danger)
        pixmap = QPixmap(QSize(_SIZE, _SIZE) * _SCALE)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.scale(_SCALE, _SCALE)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        circle = QRectF(2, 2, _SIZE - 4, _SIZE - 4)
        painter.setPen(QPen(ink, 1.5))
        painter.drawEllipse(circle)
        painter.setBrush(ink)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawPie(circle, 90 * 16, -round(share * 360 * 16))
        painter.end()
        pixmap.setDevicePixelRatio(_SCALE)
        self.setIcon(QIcon(pixmap))
        self.update()

    # Qt overrides

    def minimumSizeHint(self) -> QSize:
        """The icon alone, so that the window can be as narrow as ever."""
        height = self.sizeHint().height()
        return QSize(height, height)
