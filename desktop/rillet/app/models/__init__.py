"""What answers a chat, how, and what it takes.

In reading order: ``catalogue`` (which models there are), ``offers``, ``offer_list``, ``popover``, ``picker`` (one is
chosen), ``entered``, ``parameters`` and its button (how it is asked), ``personas`` and ``prompts`` (kept under names;
their pages are ``entries_page``), ``gauge``, ``context_card``, ``kinds_form``, ``overflow_form`` and ``figures`` (what
goes along, what happens when that is too much, and what was spent).
"""
