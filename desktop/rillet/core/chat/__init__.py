"""A chat of the program: an agent that answers into the store, whether anybody looks or not.

In reading order: ``plan`` (how an answer is to be made), ``lean`` and ``context`` (what goes along with a question),
``refusal``, ``summarizing`` and ``fitting`` (what is done when that is too much), ``events`` (what is told of it),
``recorder`` (how it is written down while it comes), ``answering`` (the two joined), ``desk`` (what the program keeps
ready for it). No window is known here; the command line uses the same.
"""
