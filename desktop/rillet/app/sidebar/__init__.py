"""The list of chats: ``model`` orders it into rows, ``delegate`` draws a row, ``sidebar`` is the widget."""
