"""`celery -A tests.job_worker`: the application of the worker, which knows the kinds of tests too."""

from typing import Any

from celery.signals import worker_ready

from studyhub.celery import app

__all__ = ["app"]


@worker_ready.connect(weak=False)
def _register(**_: Any) -> None:
    """Before the first message; Django is set up by now."""
    from tests.job_kinds import register

    register()
