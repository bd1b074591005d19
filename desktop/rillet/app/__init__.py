"""The desktop program.

In reading order: ``instance`` (one window per user), ``main`` (start-up, step by step; ``display`` says why no window
can open), ``services`` (who is there to talk to), ``window`` (what one sees), ``actions`` (what keys and the command
palette do), ``models`` (what answers); ``cli`` answers one question in a terminal along the same path, and ``doctor``
says there why a provider cannot be reached.
"""
