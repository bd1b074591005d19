"""Tools of MCP servers: programs and addresses that the user named, started after consent, confined, and ended.

In reading order:

    config risks definition names consent     what there is, what it may be called, and what was agreed to (pure)
    lines log_ring messages content           bytes and values of a server → ours (pure)
    elicitation calls patience                what happens while a call runs
    link stdio door http sse                  transports, over ``processes`` and ``net``
    tokens redirect oauth_metadata oauth_fetch oauth      signing in
    session connect server                    one server, in one task that owns it
    offer servers                             all of them, and the tools that a model is offered

The SDK is known from ``messages`` on and loaded by the first server that starts, through ``connect``.
"""
