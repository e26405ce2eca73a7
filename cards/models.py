"""What is studied: decks, topics, sources, cards and their immutable versions. Knows no learner."""

import uuid
from typing import Any

from django.conf import settings
from django.db import models

SHIPPED_NAMESPACE = uuid.UUID("6f0e4a3c-7f5b-5d0e-9a52-3f1d6b0c7e11")


class Origin(models.TextChoices):
    """Who owns a row: the content loader or an author of this installation."""

    SHIPPED = "shipped"
    LOCAL = "local"


class Deck(models.Model):
    """A shelf of topics."""

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=200)
    origin = models.CharField(max_length=8, choices=Origin, default=Origin.LOCAL)

    def __str__(self) -> str:
        return self.title


class TopicQuerySet(models.QuerySet["Topic"]):
    """Topics, and which of them a learner finds."""

    def on_shelf(self) -> "TopicQuerySet":
        """Those with something to read or a published card."""
        published = Card.objects.filter(topic=models.OuterRef("pk"), state=Card.State.PUBLISHED)
        return self.filter(~models.Q(sections=[]) | models.Exists(published))


class Topic(models.Model):
    """A page to read and the cards about it; `sections` is what sections.py gives."""

    slug = models.SlugField(max_length=80, unique=True)
    deck = models.ForeignKey(Deck, on_delete=models.PROTECT, related_name="topics")
    position = models.PositiveIntegerField(default=0)
    title = models.CharField(max_length=200)
    sections = models.JSONField(default=list, blank=True)
    content_hash = models.CharField(max_length=64, blank=True, default="")
    origin = models.CharField(max_length=8, choices=Origin, default=Origin.LOCAL)

    objects = TopicQuerySet.as_manager()

    class Meta:
        ordering = ("deck", "position", "slug")

    def __str__(self) -> str:
        return self.title


class Source(models.Model):
    """Where a fact was read, and when it was last true."""

    key = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=300)
    authors = models.CharField(max_length=300, blank=True, default="")
    year = models.PositiveIntegerField(default=0)
    locator = models.CharField(max_length=300, blank=True, default="")
    url = models.URLField(max_length=500, blank=True, default="")
    as_of = models.DateField()
    origin = models.CharField(max_length=8, choices=Origin, default=Origin.LOCAL)

    def __str__(self) -> str:
        return self.title


class Card(models.Model):
    """One gradable question; what it says is in its versions."""

    class State(models.TextChoices):
        """A retired card keeps its reviews and is asked no more."""

        DRAFT = "draft"
        PUBLISHED = "published"
        RETIRED = "retired"

    uuid = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    slug = models.SlugField(max_length=120, unique=True)
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="cards")
    position = models.PositiveIntegerField(default=0)
    family = models.SlugField(max_length=80, blank=True, default="")  # siblings: one gives another away
    state = models.CharField(max_length=9, choices=State, default=State.DRAFT)
    origin = models.CharField(max_length=8, choices=Origin, default=Origin.LOCAL)
    published_version = models.ForeignKey(
        "CardVersion", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ("topic", "position", "slug")
        # Holds all that counting the published cards of topics asks.
        indexes = (models.Index(fields=("state", "topic", "published_version"), name="card_by_state"),)

    def __str__(self) -> str:
        return self.slug


class VersionIsFrozen(ValueError):
    """A version is history: write a new one."""


class CardVersion(models.Model):
    """One wording of a card, never updated: attempts point at it for ever."""

    class Edit(models.TextChoices):
        """A minor edit keeps what is known of the card; a major one asks."""

        MINOR = "minor"
        MAJOR = "major"

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    answer_type = models.CharField(max_length=40)
    prompt = models.TextField()
    prompt_html = models.TextField(blank=True, default="")
    answer = models.JSONField(default=dict)
    parameters = models.JSONField(default=dict, blank=True)
    mistakes = models.JSONField(default=list, blank=True)
    hints = models.JSONField(default=list, blank=True)
    explanation = models.TextField(blank=True, default="")
    explanation_html = models.TextField(blank=True, default="")
    picture = models.JSONField(default=list, blank=True)  # [{kind, parameters, seed}]
    sources = models.JSONField(default=list, blank=True)  # [key, ...]
    edit = models.CharField(max_length=5, choices=Edit, default=Edit.MAJOR)
    content_hash = models.CharField(max_length=64)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("card", "number")
        constraints = (models.UniqueConstraint(fields=("card", "number"), name="one_version_per_number"),)

    def __str__(self) -> str:
        return f"{self.card.slug} v{self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Inserts. Raises VersionIsFrozen on an existing row."""
        if not self._state.adding:
            raise VersionIsFrozen(f"{self} is history and cannot change; write version {self.number + 1}")
        super().save(*args, **kwargs)


def shipped_uuid(slug: str) -> uuid.UUID:
    """The same uuid on every installation for the same shipped card."""
    return uuid.uuid5(SHIPPED_NAMESPACE, slug)
