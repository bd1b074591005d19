"""Somebody who uses the program for a while: what is there (``store``, ``server``), the ``person``, and what is done.

Start at ``use``: it runs the real program in a process of its own, with the person in it.
"""
