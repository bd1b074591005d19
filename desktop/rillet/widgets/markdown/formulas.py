"""The formulas of a program: laid out on the engine thread, painted and kept on the GUI thread.

Above: ``typeset``, ``rillet.qt`` lends the thread. Below: ``math`` writes formulas into documents, the transcript
builds documents anew when what they waited for is ``ready``. Guarantees: asking costs the GUI thread nothing but a look
into a table; a formula that cannot be drawn is found out once; one that takes ten seconds is given up.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, Protocol, TypeAlias

import shiboken6
from PySide6.QtCore import QByteArray, QCoreApplication, QObject, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QImage, QPainter

from rillet.widgets.markdown.typeset import Drawing, typeset

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_AT_ONCE: Final = 4
"""Formulas in one errand, so that the first of many are seen soon."""
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


Results: TypeAlias = "list[tuple[Key, Drawing | None]]"


class Typesetter(Protocol):
    """Where formulas are laid out."""

    def start(self, keys: Sequence[Key], done: Callable[[Results], object]) -> None:
        """Lay out ``keys`` and call ``done`` once, on the GUI thread, not before this has returned."""


class Formulas(QObject):
    """Drawings by key.

    Signals:
        ready(object): A frozenset of keys that were asked for and are settled now, drawn or not.
    """

    ready = Signal(object)
    _shared: ClassVar[tuple[QCoreApplication, Formulas] | None] = None

    def __init__(self, typesetter: Typesetter | None = None, parent: QObject | None = None) -> None:
        """``typesetter`` None: the engine thread of ``rillet.qt``, started with the first formula."""
        super().__init__(parent)
        self._typesetter = typesetter
        self._drawings: OrderedDict[Key, Drawing | None] = OrderedDict()
        self._images: OrderedDict[tuple[Key, float, tuple[int, int], float], QImage] = OrderedDict()
        self._asked: dict[Key, None] = {}
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
        self._typesetter.start(list(self._asked)[:_AT_ONCE], self._done)

    def _done(self, results: Results) -> None:
        for key, drawing in results:
            self._drawings[key] = drawing
            self._asked.pop(key, None)
        while len(self._drawings) > _DRAWINGS:
            self._drawings.popitem(last=False)
        self._under_way = bool(self._asked)
        if self._asked:
            QTimer.singleShot(0, self._start)
        self.ready.emit(frozenset(key for key, _ in results))


class _EngineTypesetter:
    """Formulas one after the other on a thread that the engine lends, so that the GUI thread gets its turns."""

    def __init__(self, owner: QObject) -> None:
        from rillet.qt.errands import Errands

        self._errands = Errands(owner, "formulas")

    def start(self, keys: Sequence[Key], done: Callable[[Results], object]) -> None:
        """As ``Typesetter`` says. When the engine is shutting down, nothing is drawn any more."""
        nothing: Results = [(key, None) for key in keys]
        try:
            resource = self._errands.run(partial(_typeset_all, tuple(keys)))
        except RuntimeError:
            QTimer.singleShot(0, partial(done, nothing))
            return
        resource.onResult(lambda results, _error: done(nothing if results is None else results))


async def _typeset_all(keys: Sequence[Key]) -> Results:
    import asyncio

    results: Results = []
    for key in keys:
        work = asyncio.to_thread(typeset, key.tex, key.size, key.colour, display=key.display)
        try:
            results.append((key, await asyncio.wait_for(work, _PATIENCE)))
        except TimeoutError:
            results.append((key, None))
    return results


def _painted(drawing: Drawing, ratio: float, size: tuple[int, int], top: float) -> QImage:
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(round(size[0] * ratio), round(size[1] * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(drawing.svg)).render(painter, QRectF(1, top, drawing.width, drawing.height))
    painter.end()
    return image
