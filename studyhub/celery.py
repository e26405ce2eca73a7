"""The Celery application of the worker. The web process sends by name and never imports this."""

import os

from celery import Celery
from django.conf import settings

from attention_engine import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyhub.settings")
broker.register_transport()
JOBS = {"queue": "jobs", "expires": 55}  # seconds: a wake-up that waited for a worker longer is of no use

app = Celery("studyhub")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    # Imported by the worker alone, and torch only when it is up.
    include=["attention_engine.tasks", "studyhub.operations.tasks"],
    frames_url=settings.FRAMES_URL,
    accept_content=["json"],
    task_serializer="json",
    task_ignore_result=True,
    task_acks_late=False,  # leases, not the broker, decide what is drawn or done again
    worker_prefetch_multiplier=1,
    worker_enable_remote_control=False,
    broker_connection_retry_on_startup=True,
    beat_schedule={
        "sweep": {"task": "studyhub.sweep_jobs", "schedule": 60.0, "options": JOBS},
        "due": {"task": "studyhub.enqueue_due", "schedule": 600.0, "options": JOBS},
    },
)
