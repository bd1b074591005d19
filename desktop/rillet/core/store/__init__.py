"""Everything that people have written and been told, in one SQLite file.

In reading order: ``trouble`` (what can go wrong), ``migrations`` (what the tables are), ``database`` (opening the
file), ``writer`` and ``readers`` (one writes, several read), then what is kept: ``chats``, ``summaries``, ``messages``
(a tree per chat), ``journal`` (answers while they are written), ``blobs`` (attachments), ``search``, ``drafts``,
``ledger``, ``grants``; ``store`` joins them, ``temporary`` is the same without a file, and ``moving`` leads from there
to here. What is kept is changed by plain functions of a connection: ``await
store.write(chats.rename, 7, "Tea")``.
"""
