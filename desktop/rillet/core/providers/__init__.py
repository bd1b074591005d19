"""Who answers: endpoints, those that Rillet knows by name, and the local server that needs no account.

In reading order: ``address`` (as people type it), ``provider`` (one endpoint), ``envelope`` (the outside of a request),
``builtin`` (known by name), ``compatible`` (by address), ``local_servers`` (found running here), ``facts`` (about
models), ``doctor`` (why it does not work); and the built-in model: ``local_model``, ``local_server``,
``local_process``, ``local_child``.
"""
