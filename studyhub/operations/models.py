"""Long work as rows: what was asked, who is at it, how it ended. A message is only a wake-up."""

import uuid

from django.db import models
from django.db.models import Q

from studyhub.study.models import Learner


class Job(models.Model):
    """One piece of long work; the row is the truth, and jobs.py alone writes it."""

    class State(models.TextChoices):
        """Where the work stands; the last two are ends."""

        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=32)
    learner = models.ForeignKey(Learner, on_delete=models.CASCADE, null=True, related_name="jobs")
    key = models.CharField(max_length=64)  # kind and learner: one unfinished job of each
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)  # how often a worker began it
    token = models.CharField(max_length=32, blank=True, default="")  # of who is at it; another's is refused
    lease_until = models.DateTimeField(null=True)  # while it runs: a worker that lives renews this
    sent_at = models.DateTimeField()  # when a worker was last woken for it
    progress = models.PositiveSmallIntegerField(default=0)  # per cent
    code = models.CharField(max_length=16, blank=True, default="")  # of a failure
    reason = models.CharField(max_length=500, blank=True, default="")  # a sentence, of the last trouble
    result = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("key",), condition=Q(state__in=("queued", "running")), name="one_live_job_per_key"
            ),
        )
        indexes = (models.Index(fields=("state", "sent_at"), name="job_by_state"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.id}: {self.state}"

    @property
    def ended(self) -> bool:
        """Done or failed: it will not change."""
        return self.state in (self.State.DONE, self.State.FAILED)
