"""The list of chats: ``rows`` orders it, ``model`` holds it, ``delegate`` draws a row, ``sidebar`` is the widget."""
