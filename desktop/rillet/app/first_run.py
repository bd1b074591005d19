"""What a person sees who starts the program for the first time: who can answer now, and how to have a better one.

Above: ``services``, ``key_shapes``. Below: ``window`` shows it over the first, empty chat, which can be used all the
time. Guarantees: a key that does not work is neither kept nor shown again; nothing is sent anywhere before a button is
pressed.
"""

from __future__ import annotations

from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from rillet.app import coroutines
from rillet.app.keys import account_of
from rillet.app.settings.examination import verdict
from rillet.app.settings.fields import ChoiceBox
from rillet.app.settings.sheet import settings_style_sheet
from rillet.core.key_shapes import provider_of
from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.labels import tint

if TYPE_CHECKING:
    import asyncio

    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from rillet.app.services import Services
    from rillet.core.providers.provider import Provider
    from rillet.widgets.theme.palette import Theme

MOST_WAYS: Final = 3
"""Providers with a button; all of them are in the list of models."""
NARROW: Final = 520
"""Pixels below which the card says less, in more lines."""
_MARGIN: Final = 16


class FirstRun(QWidget):
    """A card.

    Signals:
        chosen(object, bool): Somebody else answers from now on (a ``Provider``); whether it still needs a model.
        closed(): The person has seen enough.
    """

    chosen = Signal(object, bool)
    closed = Signal()

    def __init__(self, services: Services, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._theme = theme
        self._task: asyncio.Task[None] | None = None
        self._ways: list[Button] = []
        self._title = _label(self.tr("Welcome to Rillet"))
        self._now = _label()
        self._close = Button("cross", "", self.tr("Close this page"))
        self._close.clicked.connect(self.closed)
        self._key = QLineEdit()
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self._key.setPlaceholderText(self.tr("Paste a key of a provider"))
        self._key.setAccessibleName(self.tr("Key"))
        self._key.textChanged.connect(self.recognize)
        self._key.returnPressed.connect(self.submit)
        self._whose = ChoiceBox()
        self._whose.setAccessibleName(self.tr("Provider of the key"))
        self._whose.offer(("", self.tr("Whose key?")), *((each.id, each.name) for each in services.keyless))
        self._whose.currentIndexChanged.connect(self.noteEntry)
        self._use = Button("", self.tr("Use this key"), look="filled")
        self._use.clicked.connect(self.submit)
        self._result = _label()
        self._privacy = _label(
            self.tr(
                "Rillet sends nothing to its makers: what you write goes to the provider that you choose, and nowhere "
                "else. A key is kept in the key store of this system, or where there is none, until you quit."
            )
        )
        self._arrange()
        self.set_theme(theme)
        self.fill()
        self.noteEntry()
        services.providersChanged.connect(self.fill)
        services.choiceChanged.connect(self.fill)
        self._looking = coroutines.start(self._look_around())

    def stop(self) -> None:
        """End what is under way: a key that is being tried is forgotten. The card is not used again."""
        self._looking.cancel()
        if self._task is not None:
            self._task.cancel()

    @Slot()
    def fill(self) -> None:
        """Say who can answer now."""
        server, choice = self._services.local_server, self._services.choice
        if choice.provider.server is None:
            self._now.setText(self.tr("You can write at once: {name} answers.").format(name=choice.label))
        elif server.is_available:
            name = self._services.providers[0].label
            words = self.tr("You can write at once: {name} answers on this machine. It is small, and often wrong.")
            self._now.setText(words.format(name=name))
        else:
            words = self.tr("The built-in model cannot be used here: {why}. Choose another one to begin with.")
            self._now.setText(words.format(why=server.missing))
        for way in self._ways:
            self._row.removeWidget(way)
            way.deleteLater()
        others: dict[str, Provider] = {}  # one for each address: which of its styles is spoken is nothing to begin with
        for each in self._services.providers:
            if each.server is None and each.base_url != choice.provider.base_url:
                others.setdefault(each.base_url, each)
        self._ways = [self._way_to(each) for each in [*others.values()][:MOST_WAYS]]
        for place, way in enumerate(self._ways):
            self._row.insertWidget(place, way)
        self._fit()

    @Slot(str)
    def recognize(self, key: str) -> None:
        """Choose the provider whose key this seems to be."""
        self._say("")
        if (found := provider_of(key)) is not None:
            self._whose.show_value(found)
        self.noteEntry()

    @Slot()
    def noteEntry(self) -> None:
        """A key can be used once it is known whose it is."""
        self._use.setEnabled(bool(self._key.text().strip() and self._whose.value) and self._task is None)

    @Slot()
    def submit(self) -> None:
        """Try the key, and keep it if it works."""
        if self._use.isEnabled():
            self._task = coroutines.start(self._try(self._whose.value, self._key.text().strip()))
            self.noteEntry()

    async def _try(self, provider_id: str, key: str) -> None:
        services = self._services
        self._say(self.tr("Trying the key…"))
        services.add_provider(provider_id)
        provider = _found(services, provider_id)
        account = account_of(provider.base_url)
        services.keys.hold(account, key)
        works = False
        try:
            async with aclosing(services.examine(_found(services, provider_id))) as examination:
                steps = [step async for step in examination]
            works = all(step.outcome != "failed" for step in steps)
        finally:
            self._task = None
            if not works:
                services.remove_provider(provider)
                coroutines.start(_forget(services, account))
        if not works:
            self._say(verdict(steps), trouble=True)
            self.noteEntry()
            return
        self._key.clear()
        coroutines.start(services.keys.keep(account, key))
        self._choose(_found(services, provider_id))

    def _choose(self, provider: Provider) -> None:
        self.chosen.emit(provider, provider.default_model is None)

    async def _look_around(self) -> None:
        if await self._services.look_for_local_servers():
            self.fill()

    def _way_to(self, provider: Provider) -> Button:
        way = Button("", self.tr("Use {name}").format(name=provider.label), look="outlined")
        way.clicked.connect(partial(self._choose, provider))
        way.set_theme(self._theme)
        return way

    def _say(self, sentence: str, *, trouble: bool = False) -> None:
        tint(self._result, self._theme.tokens.danger if trouble else self._theme.tokens.muted)
        self._result.setText(sentence)
        self._result.setVisible(bool(sentence))

    def _arrange(self) -> None:
        top = QHBoxLayout()
        top.addWidget(self._title, 1)
        top.addWidget(self._close)
        self._row = QHBoxLayout()
        self._row.setSpacing(8)
        self._row.addStretch(1)
        whose = QHBoxLayout()
        whose.setSpacing(8)
        whose.addWidget(self._whose, 1)
        whose.addWidget(self._use)
        key = self._key_row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        key.setSpacing(8)
        key.addWidget(self._key, 1)
        key.addLayout(whose)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN + 20, _MARGIN + 12, _MARGIN + 20, _MARGIN + 12)
        column.setSpacing(10)
        column.addLayout(top)
        column.addWidget(self._now)
        column.addLayout(self._row)
        column.addLayout(key)
        column.addWidget(self._result)
        column.addWidget(self._privacy)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self.setStyleSheet(settings_style_sheet(theme.tokens))
        font = QFont(theme.body)
        font.setPointSizeF(font.pointSizeF() * 1.25)
        font.setWeight(QFont.Weight.DemiBold)
        self._title.setFont(font)
        for label in (self._result, self._privacy):
            label.setFont(small_font(theme))
        tint(self._privacy, theme.tokens.muted)
        for button in (self._close, self._use, *self._ways):
            button.set_theme(theme)
        self._say("")
        self.update()

    def _fit(self) -> None:
        """Show what there is room for: what is left out stands in the settings and in the list of models."""
        narrow = self.width() < NARROW
        direction = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._key_row.setDirection(direction)
        self._privacy.setVisible(not narrow)
        self._use.setMinimumHeight(self._key.sizeHint().height())
        for place, way in enumerate(self._ways):
            way.setVisible(not narrow or place == 0)

    # Qt overrides

    def resizeEvent(self, event: QResizeEvent) -> None:
        """See what there is room for, and take the height that it needs."""
        super().resizeEvent(event)
        self._fit()
        self.setMinimumHeight(self.heightForWidth(self.width()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.border), 1))
        painter.setBrush(QColor(tokens.surface))
        area = QRectF(self.rect()).adjusted(_MARGIN + 0.5, _MARGIN - 3.5, -_MARGIN - 0.5, -_MARGIN + 3.5)
        painter.drawRoundedRect(area, tokens.radius, tokens.radius)
        painter.end()


def _label(text: str = "") -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label


def _found(services: Services, provider_id: str) -> Provider:
    return next(each for each in services.providers if each.id == provider_id)


async def _forget(services: Services, account: str) -> None:
    await services.keys.forget(account)
