"""Open chats: ``session`` is one of them, ``sessions`` are all of them.

``plans`` says how the next answer is made, ``line`` what of the store is shown, ``writing`` how questions and drafts
get there and back, ``naming`` what a chat is called. ``queue``, ``editing`` and ``notice`` stand above the field.
``horizon`` says, in the words of ``prospect``, where the model's view of a chat begins.
"""
