"""The agent: a model that calls tools until it has an answer, and everything that a run of it tells.

In reading order: ``result`` and ``events`` (what a run comes to, and what it tells), ``seams`` and ``hooks`` (what it
needs of others, and where they look in), ``trust`` and ``history`` (what stands in a conversation, and whether a
provider takes it), ``outlet`` and ``metrics`` (where events and figures go), ``setup`` (what the parts of a run share),
``turn`` (one model call), ``call``, ``leash`` and ``calls`` (the tools of one answer), ``state`` and ``loop``; then the
ways in: ``conversations`` (stores), ``session`` (from the store and back), ``run``, ``conversation``, ``in_process``,
``agent``. ``compaction`` is a hook.
"""
