"""Learners, attempts, the append-only ledger of reviews, and the memory folded from it."""

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import models

from cards.models import Card, CardVersion, Deck


class Learner(models.Model):
    """A person who studies, with what decides their study day and their load."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="learner")
    time_zone = models.CharField(max_length=64, default="UTC")
    rollover_hour = models.PositiveSmallIntegerField(default=4)
    desired_retention = models.FloatField(default=0.9)
    new_per_day = models.PositiveIntegerField(default=20)
    reviews_per_day = models.PositiveIntegerField(default=0)  # the cap of catching up; 0 = none
    parameters_version = models.PositiveIntegerField(default=0)  # 0 = built in; else of a Parameters row
    easy_days = models.JSONField(default=list, blank=True)  # 7 of normal|reduced|minimum, Monday first
    spread_load = models.BooleanField(default=True)

    def __str__(self) -> str:
        return f"learner {self.user_id}"


class DeckRules(models.Model):
    """Where a deck is scheduled otherwise than the rest."""

    learner = models.ForeignKey(Learner, on_delete=models.CASCADE, related_name="deck_rules")
    deck = models.ForeignKey(Deck, on_delete=models.CASCADE, related_name="+")
    desired_retention = models.FloatField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("learner", "deck"), name="one_rule_per_deck"),)

    def __str__(self) -> str:
        return f"rules of learner {self.learner_id} for deck {self.deck_id}"


class Parameters(models.Model):
    """A version of how a learner's memory is modelled and scheduled, never updated; lines point at it."""

    class Origin(models.TextChoices):
        """Where the version comes from."""

        FIT = "fit"
        EDIT = "edit"

    learner = models.ForeignKey(Learner, on_delete=models.CASCADE, related_name="parameters")
    version = models.PositiveIntegerField()  # 1, 2, ...
    numbers = models.JSONField()  # 21 or 34 of the memory model; their count names it
    learning_steps = models.JSONField()  # seconds
    relearning_steps = models.JSONField()  # seconds
    maximum_interval = models.PositiveIntegerField(default=36_500)  # days
    leech_after = models.PositiveSmallIntegerField(default=8)  # lapses; 0 = never
    leech_suspends = models.BooleanField(default=False)
    origin = models.CharField(max_length=4, choices=Origin)
    based_on = models.PositiveIntegerField(default=0)  # the version it was made from: what undo goes back to
    report = models.JSONField(default=dict, blank=True)  # of a fit: counts, losses, reasons
    created_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("learner", "version"), name="one_row_per_version"),)

    def __str__(self) -> str:
        return f"parameters {self.version} of learner {self.learner_id}"


class Attempt(models.Model):
    """An answer as it was given, graded once; one that waits for its verdict is settled once."""

    learner = models.ForeignKey(Learner, on_delete=models.CASCADE, related_name="attempts")
    client_id = models.UUIDField()
    card_version = models.ForeignKey(CardVersion, on_delete=models.PROTECT, related_name="+")
    variant_seed = models.BigIntegerField(default=0)
    response = models.JSONField(default=dict)
    outcome = models.CharField(max_length=10)
    score = models.FloatField(default=0)
    grade = models.JSONField(default=dict)
    assisted = models.BooleanField(default=False)
    practice = models.BooleanField(default=False)  # answered without effect on the schedule; never rated
    confidence = models.PositiveSmallIntegerField(default=0)  # 40, 70 or 95 per cent; 0 = not said
    elapsed_ms = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    body_digest = models.CharField(max_length=64)
    # Decided once, with the grade: what is suggested must not change with answers that come later.
    suggested_rating = models.PositiveSmallIntegerField(default=0)  # 0 = none
    reason = models.CharField(max_length=200, blank=True, default="")
    settled_at = models.DateTimeField(null=True)  # when a verdict came that the answer had waited for

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("learner", "client_id"), name="one_attempt_per_client_id"),
        )
        indexes = (
            models.Index(
                fields=("learner", "created_at"),
                name="attempt_practised",
                condition=models.Q(practice=True),
            ),
            models.Index(fields=("learner", "confidence", "outcome"), name="attempt_by_confidence"),
            models.Index(fields=("learner", "created_at"), name="attempt_by_time"),
        )

    def __str__(self) -> str:
        return f"attempt {self.client_id}: {self.outcome}"


class Review(models.Model):
    """A line of the ledger. Triggers on both engines refuse UPDATE and DELETE unless the ledger is opened."""

    class Kind(models.TextChoices):
        """What the line says."""

        REVIEW = "review"
        VOID = "void"
        IMPORT = "import"
        SET_DUE = "set_due"
        RESET = "reset"
        SUSPEND = "suspend"
        UNSUSPEND = "unsuspend"
        BURY = "bury"

    learner = models.ForeignKey(Learner, on_delete=models.CASCADE, related_name="reviews")
    client_id = models.UUIDField()
    kind = models.CharField(max_length=9, choices=Kind, default=Kind.REVIEW)
    card = models.ForeignKey(Card, on_delete=models.PROTECT, related_name="+")
    card_version = models.ForeignKey(CardVersion, on_delete=models.PROTECT, null=True, related_name="+")
    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, null=True, related_name="reviews")
    variant_seed = models.BigIntegerField(default=0)
    suggested_rating = models.PositiveSmallIntegerField(default=0)  # 0 = none
    rating = models.PositiveSmallIntegerField(default=0)  # 0 = none (kinds other than review)
    answered_at = models.DateTimeField()
    received_at = models.DateTimeField()
    clock_adjusted = models.BooleanField(default=False)
    time_zone = models.CharField(max_length=64, default="UTC")
    study_day = models.DateField()  # decided once, by the zone's rules at that instant
    # The rules of that day are kept with the line: a replay needs nothing else.
    rollover_hour = models.PositiveSmallIntegerField(default=4)
    desired_retention = models.FloatField(default=0.9)
    target_day = models.DateField(null=True)  # set_due: due on this study day; bury: hidden until it
    draw = models.FloatField(default=-1)  # which day within the fuzz, 0 <= draw < 1; -1 = by card and answers
    # What was known of the card when the line came: statistics stand on it, and it never changes.
    state_before = models.CharField(max_length=10, blank=True, default="")
    interval_before = models.PositiveIntegerField(default=0)  # days
    recall_before = models.PositiveSmallIntegerField(default=0)  # promised, per mille; 0 = no prediction
    elapsed_ms = models.PositiveIntegerField(default=0)
    device = models.CharField(max_length=64, blank=True, default="")
    device_sequence = models.BigIntegerField(default=0)
    parameters_version = models.PositiveIntegerField(default=0)
    voids = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="voided_by")
    body_digest = models.CharField(max_length=64)
    outcome = models.JSONField(default=dict)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("learner", "client_id"), name="one_review_per_client_id"),
        )
        indexes = (
            models.Index(fields=("learner", "card", "answered_at"), name="review_by_card"),
            models.Index(fields=("learner", "study_day"), name="review_by_day"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.client_id}"


class Memory(models.Model):
    """What a learner knows of a card: a fold of the ledger, written by reviews.py and replay.py alone."""

    class State(models.TextChoices):
        """Where the card stands."""

        NEW = "new"
        LEARNING = "learning"
        REVIEW = "review"
        RELEARNING = "relearning"

    learner = models.ForeignKey(Learner, on_delete=models.CASCADE, related_name="memories")
    card = models.ForeignKey(Card, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=10, choices=State, default=State.NEW)
    step = models.PositiveSmallIntegerField(default=0)
    stability = models.FloatField(default=0)  # days
    difficulty = models.FloatField(default=0)  # 1..10, 0 = none yet
    short_stability = models.FloatField(default=0)  # days; of the model with two stabilities
    due = models.DateTimeField(null=True)
    interval_days = models.PositiveIntegerField(default=0)  # 0 while in learning steps
    last_review = models.DateTimeField(null=True)
    last_study_day = models.DateField(null=True)
    reps = models.PositiveIntegerField(default=0)
    lapses = models.PositiveIntegerField(default=0)
    tested = models.PositiveIntegerField(default=0)  # answers after a day or more: they say what was retained
    recalled = models.PositiveIntegerField(default=0)  # of those, not Again
    suspended = models.BooleanField(default=False)
    buried_until = models.DateField(null=True)
    as_of = models.ForeignKey(Review, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("learner", "card"), name="one_memory_per_card"),)
        # Each holds all that its question asks, so that 100,000 memories are answered from an index alone.
        indexes = (
            models.Index(
                fields=("learner", "due", "state", "suspended", "buried_until", "card"), name="memory_by_due"
            ),
            models.Index(
                fields=(
                    *("learner", "card", "state", "stability", "difficulty", "short_stability"),
                    *("last_study_day", "tested", "recalled"),
                ),
                name="memory_by_card",
            ),
            models.Index(fields=("learner", "lapses"), name="memory_by_lapses"),
        )

    def __str__(self) -> str:
        return f"memory of {self.card_id} by {self.learner_id}"


class DayRollup(models.Model):
    """What the lines of one study day add up to; kept by reviews.py, equal to counting them again."""

    learner = models.ForeignKey(Learner, on_delete=models.CASCADE, related_name="rollups")
    study_day = models.DateField()
    again = models.PositiveIntegerField(default=0)
    hard = models.PositiveIntegerField(default=0)
    good = models.PositiveIntegerField(default=0)
    easy = models.PositiveIntegerField(default=0)
    elapsed_ms = models.PositiveBigIntegerField(default=0)
    first_met = models.PositiveIntegerField(default=0)  # answers to cards never answered before
    young_failed = models.PositiveIntegerField(default=0)  # tested, previous interval under 21 days
    young_recalled = models.PositiveIntegerField(default=0)
    mature_failed = models.PositiveIntegerField(default=0)
    mature_recalled = models.PositiveIntegerField(default=0)
    promised = models.JSONField(default=dict)  # {bin of recall: [answers, recalled, sum of per mille]}

    class Meta:
        constraints = (models.UniqueConstraint(fields=("learner", "study_day"), name="one_rollup_per_day"),)

    def __str__(self) -> str:
        return f"{self.study_day} of learner {self.learner_id}"


class Interview(models.Model):
    """The day a learner prepares for, and the plan last made for it."""

    learner = models.OneToOneField(Learner, on_delete=models.CASCADE, related_name="interview")
    day = models.DateField()
    minutes_per_day = models.PositiveSmallIntegerField(default=20)
    topics = models.JSONField(default=list, blank=True)  # slugs; [] = all
    plan = models.JSONField(default=dict, blank=True)
    planned_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"interview of learner {self.learner_id} on {self.day}"


def learner_of(user: AbstractBaseUser) -> Learner:
    """The learner behind a signed-in user, made on first sight."""
    return Learner.objects.get_or_create(user_id=user.pk)[0]
