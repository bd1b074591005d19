"""Open chats: ``session`` is one of them, ``sessions`` are all of them, ``plans`` says how the next answer is made."""
