"""Wakes a worker with a message. Knows the task by name alone, and waits for no broker."""

import logging
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from celery import Celery
from django.conf import settings
from kombu.exceptions import OperationalError

from attention_engine.broker import register_transport

log = logging.getLogger(__name__)
TIMEOUT = 0.3  # seconds for each word with the broker
NOTHING: Mapping[str, int] = MappingProxyType({})
ONE_TRY = {"max_retries": 0}  # retry=False would go on reconnecting for 6 s


def send(task: str, subject: str, queue: str, headers: Mapping[str, int] = NOTHING) -> bool:
    """True when the broker has the message: `task` is to look at what `subject` names. Raises nothing for
    a broker that is away: whoever waits sees to it that a lost message is sent again."""
    try:
        _application(settings.CELERY_BROKER_URL).send_task(
            task, args=[subject], queue=queue, headers=dict(headers), ignore_result=True, retry=True,
            retry_policy=ONE_TRY,
        )  # fmt: skip
    except (OperationalError, OSError) as error:
        log.warning("%s %s stays queued: the broker does not answer (%s)", task, subject, error)
        return False
    return True


@cache
def _application(broker_url: str) -> Celery:
    """An application that only sends: its short timeouts would starve a worker's blocking reads."""
    register_transport()
    application = Celery("studyhub-publisher", broker=broker_url, set_as_current=False)
    application.conf.update(
        task_serializer="json",
        broker_connection_timeout=TIMEOUT,
        broker_transport_options={"socket_timeout": TIMEOUT, "socket_connect_timeout": TIMEOUT},
    )
    return application
