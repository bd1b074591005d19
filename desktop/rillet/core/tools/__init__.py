"""What a model may have done: tools, where they come from, and who judges every call.

Reading order:

    schema tool judge names             what a tool is, and what is wrong with the arguments of a call
    docstring fields hints outputs      values of Python as the model sees them; native: functions of the host
    http_request http                   HTTP endpoints; openapi_schema openapi_operation openapi: many at once
    skill_file skill_folders skills     instructions on demand; yaml_text reads what strangers wrote
    workspace files builtin             the built-in tools, in one folder; processes sandbox: commands, confined
    mcp                                 tools of servers
    policy                              who may run what
    toolkit                             all of them together: ordered, named, judged
"""
