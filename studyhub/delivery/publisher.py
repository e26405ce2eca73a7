"""Tells the workers that a picture is waiting. Knows the task by name alone, and waits for no broker."""

from studyhub.operations import messages

RENDER = "attention_engine.render"


def send(digest: str, queue: str) -> bool:
    """True when the broker has the message; a claim whose message is lost is sent again by its readers."""
    return messages.send(RENDER, digest, queue)
