"""The only package that knows httpx: how a provider is reached, and with how much patience.

In reading order: ``profile`` (the settings), ``errors`` (of connecting), ``loopback``, ``proxy``, ``tls``, ``inflate``,
``translate`` (httpx's exceptions), ``passage`` (through a proxy), ``transport`` (bytes to and fro), ``certificate`` and
``probe`` (which hop fails); for pages that a stranger chose ``public`` and ``web_address`` (what may be fetched),
``public_routes`` and ``fetch``; and without httpx ``retry`` and ``watch`` (the event clock).
"""
