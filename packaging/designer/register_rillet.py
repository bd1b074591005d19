"""Rillet's chat view in the widget box of Qt Designer.

    PYSIDE_DESIGNER_PLUGINS=packaging/designer pyside6-designer

Designer runs every ``register*.py`` in that folder. Above: ``rillet.widgets``. Designer starts an interpreter of its
own: it finds PySide6 and Rillet of a virtual environment only when that is activated, or on PYTHONPATH. A form that
uses the view is loaded with ``pyside6-uic``, or with ``QUiLoader`` after ``registerCustomWidget(ChatView)``.
"""

from __future__ import annotations

from PySide6.QtDesigner import QPyDesignerCustomWidgetCollection

from rillet.widgets import ChatView

FORM = """
<ui language="c++">
  <widget class="ChatView" name="chatView">
    <property name="geometry"><rect><x>0</x><y>0</y><width>480</width><height>560</height></rect></property>
    <property name="placeholder"><string>Message</string></property>
  </widget>
</ui>
"""

QPyDesignerCustomWidgetCollection.registerCustomWidget(
    ChatView,
    module="rillet.widgets",
    group="Rillet",
    tool_tip="A conversation with a language model, and the field to go on with it",
    xml=FORM,
)
