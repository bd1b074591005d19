"""Who may run what: every call of a tool is judged before it runs, and may be allowed, asked about or denied.

Reading order: ``command`` (shell text → words), ``grammar`` and ``programs`` (what may follow a command that is known),
``places`` (paths and hosts), ``calls`` (what a call does, as far as it can be told), ``rules``, ``grants`` (who allowed
what, for how long), ``asking`` (the question), ``policy`` (the judge).
"""
