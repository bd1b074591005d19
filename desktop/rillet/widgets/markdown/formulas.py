"""The formulas of a program: laid out on the engine thread, painted and kept on the GUI thread.

Above: ``typeset``, ``rillet.qt`` lends the thread. Below: ``math`` writes formulas into documents, the transcript
builds documents anew when what they waited for is ``ready``, ``frames`` draws while none is ``at_work``. Guarantees:
asking costs the GUI thread nothing but a look into a table; a formula that cannot be drawn is found out once; one that
takes ten seconds is given up; between two of them the GUI thread has a turn of its event loop to itself.

Laying out is Python from end to end, and while one thread runs Python another waits for its turn, five milliseconds at
a time: a frame that has to ask for it ten times stands still for fifty. So formulas and frames take turns.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, Protocol, TypeAlias

import shiboken6
from PySide6.QtCore import QByteArray, QCoreApplication, QObject, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QImage, QPainter

from rillet.widgets.markdown.typeset import Drawing, typeset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Done: TypeAlias = Callable[[Drawing | None], object]

_TOGETHER: Final = 4
"""Formulas that ``ready`` tells of at once: with each a document is built anew, and the first of many are seen soon."""
_TURN: Final = 0.0005
"""Seconds that a thread waits for its turn to run Python while a formula is laid out; usually it is ten times that."""
_PATIENCE: Final = 10.0
_DRAWINGS, _IMAGES = 1000, 256
"""How many are kept: about 5 KB and 30 KB each."""


class Key(NamedTuple):
    """What a drawing depends on."""

    tex: str
    size: float
    """Height of the letters (em), logical pixels."""
    colour: str
    display: bool


class Typesetter(Protocol):
    """Where formulas are laid out."""

    def start(self, key: Key, done: Done) -> None:
        """Lay out ``key`` and call ``done`` once, on the GUI thread, not before this has returned."""


class Formulas(QObject):
    """Drawings by key.

    Attributes:
        at_work: Whether a formula is being laid out, and the GUI thread would have to share its time.

    Signals:
        ready(object): A frozenset of keys that were asked for and are settled now, drawn or not.
        rested(): A formula was laid out; the next is begun in another turn of the event loop.
    """

    ready = Signal(object)
    rested = Signal()
    _shared: ClassVar[tuple[QCoreApplication, Formulas] | None] = None

    def __init__(self, typesetter: Typesetter | None = None, parent: QObject | None = None) -> None:
        """``typesetter`` None: the engine thread of ``rillet.qt``, started with the first formula."""
        super().__init__(parent)
        self.at_work = False
        self._typesetter = typesetter
        self._drawings: OrderedDict[Key, Drawing | None] = OrderedDict()
        self._images: OrderedDict[tuple[Key, float, tuple[int, int], float], QImage] = OrderedDict()
        self._asked: dict[Key, None] = {}
        self._settled: set[Key] = set()
        self._under_way = False

    @classmethod
    def shared(cls) -> Formulas:
        """Those of this application, which all views share that were not given others. Made with the first call."""
        app = QCoreApplication.instance()
        assert app is not None
        if cls._shared is None or cls._shared[0] is not app or not shiboken6.isValid(cls._shared[1]):
            cls._shared = app, Formulas(parent=app)
        return cls._shared[1]

    def find(self, key: Key) -> Drawing | None:
        """The drawing, or None: it cannot be drawn, or it is asked for by this and ``ready`` will tell."""
        if key in self._drawings:
            self._drawings.move_to_end(key)
            return self._drawings[key]
        if key not in self._asked:
            self._asked[key] = None
            if not self._under_way:
                self._under_way = True
                QTimer.singleShot(0, self._start)  # what one document asks for goes together
        return None

    def is_pending(self, key: Key) -> bool:
        """Whether ``ready`` will tell of ``key``."""
        return key in self._asked

    def image(self, key: Key, drawing: Drawing, ratio: float, size: tuple[int, int], top: float) -> QImage:
        """``drawing``, which ``find`` returned for ``key``, at ``top`` in a transparent picture.

        The picture has ``size`` logical pixels, each ``ratio`` real ones wide.
        """
        place = key, ratio, size, top
        image = self._images.pop(place, None) or _painted(drawing, ratio, size, top)
        self._images[place] = image
        while len(self._images) > _IMAGES:
            self._images.popitem(last=False)
        return image

    @Slot()
    def _start(self) -> None:
        if self._typesetter is None:
            self._typesetter = _EngineTypesetter(self)
        self.at_work = True
        key = next(iter(self._asked))
        self._typesetter.start(key, partial(self._done, key))

    def _done(self, key: Key, drawing: Drawing | None) -> None:
        self.at_work = False
        self._drawings[key] = drawing
        del self._asked[key]
        self._settled.add(key)
        while len(self._drawings) > _DRAWINGS:
            self._drawings.popitem(last=False)
        self._under_way = bool(self._asked)
        if self._asked:
            QTimer.singleShot(0, self._start)
        if len(self._settled) >= _TOGETHER or not self._asked:
            settled, self._settled = frozenset(self._settled), set()
            self.ready.emit(settled)
        self.rested.emit()


class _EngineTypesetter:
    """Formulas one after the other on a thread that the engine lends, so that the GUI thread gets its turns."""

    def __init__(self, owner: QObject) -> None:
        from rillet.qt.errands import Errands

        self._errands = Errands(owner, "formulas")

    def start(self, key: Key, done: Done) -> None:
        """As ``Typesetter`` says. When the engine is shutting down, nothing is drawn any more."""
        try:
            resource = self._errands.run(partial(_typeset, key))
        except RuntimeError:
            QTimer.singleShot(0, partial(done, None))
            return
        resource.onResult(lambda drawing, _error: done(drawing))


async def _typeset(key: Key) -> Drawing | None:
    import asyncio

    work = asyncio.to_thread(typeset, key.tex, key.size, key.colour, display=key.display)
    with _short_turns():
        try:
            return await asyncio.wait_for(work, _PATIENCE)
        except TimeoutError:
            return None


@contextmanager
def _short_turns() -> Iterator[None]:
    """Let other threads wait less for their turns. Only the engine thread comes here."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(min(usual, _TURN))
    short = sys.getswitchinterval()
    try:
        yield
    finally:
        if sys.getswitchinterval() == short:  # nobody else has changed it meanwhile
            sys.setswitchinterval(usual)


def _painted(drawing: Drawing, ratio: float, size: tuple[int, int], top: float) -> QImage:
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(round(size[0] * ratio), round(size[1] * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(drawing.svg)).render(painter, QRectF(1, top, drawing.width, drawing.height))
    painter.end()
    return image
