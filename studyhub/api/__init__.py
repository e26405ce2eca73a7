"""REST v1: serializers, views, problems.

Rates a minute are counted in each web process on its own (Django's cache is local memory, so that answering
waits for no other service): with four processes a client may get four times as much through. They stop a
runaway client; a limit that must hold exactly belongs into the proxy.
"""
