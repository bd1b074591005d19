"""The thread boundary: QtCore only. In reading order: engine, mailbox, resource, listener, client."""
