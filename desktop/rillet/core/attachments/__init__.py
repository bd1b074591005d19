"""Files of a person on their way into a message: what they are, what they say, and what goes to a model.

In the order data flows: ``kinds`` (recognised by content first and name second), ``caps`` (how much is read),
``problems`` (why it is not), ``progress`` (how far it has come), ``opening`` (regular files only), ``text`` (any
encoding), ``pdf``, ``words`` (docx), ``sheets`` (xlsx and its kin), ``extractor`` (all that in a process of its own,
which can be ended), ``contents`` (what came of it), ``reading`` (our end), ``taken`` (as a file or as text, by the
model); and for folders ``folder`` (what was found and chosen), ``folder_scan`` (looking, in a process too) and
``bundle`` (one text of it). Knows no Qt and no provider.
"""
