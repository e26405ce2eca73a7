"""What the API answers, as shapes for the schema. Fills in nothing."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from studyhub.study.rating import RATINGS


class Shape(serializers.Serializer[Any]):
    """The base of all shapes."""


class FieldErrorShape(Shape):
    """One thing wrong."""

    field = serializers.CharField(help_text="Dotted path such as `response.choices.3`, or a header's name.")
    reason = serializers.CharField()
    offset = serializers.IntegerField(required=False, help_text="Into the field's text, where known.")


class ProblemShape(Shape):
    """RFC 9457."""

    type = serializers.CharField(help_text="/problems/<name>, or about:blank.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    errors = FieldErrorShape(many=True)  # type: ignore[assignment]


class IntervalsShape(Shape):
    """What each button would give, in seconds."""

    again = serializers.IntegerField()
    hard = serializers.IntegerField()
    good = serializers.IntegerField()
    easy = serializers.IntegerField()


class RowShape(Shape):
    """An option to choose or an item to order."""

    id = serializers.CharField()
    text = serializers.CharField()
    html = serializers.CharField()


class GivenShape(Shape):
    """A name that a program may use."""

    name = serializers.CharField()
    shape = serializers.CharField(help_text="Such as (2, 4, 768).")


class WordsShape(Shape):
    """A text, plain and as HTML."""

    text = serializers.CharField(allow_blank=True)
    html = serializers.CharField(allow_blank=True)


class FieldShape(WordsShape):
    """A cell of a table or a piece of a cloze: without an `id` it is given, with one it is filled in."""

    id = serializers.CharField(allow_blank=True, help_text="The name of `response.cells`, or empty.")
    type = serializers.CharField(allow_blank=True, help_text="The answer type of what is filled in.")
    unit = serializers.CharField(allow_blank=True)
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    hint = serializers.CharField(allow_blank=True)
    width = serializers.IntegerField(help_text="Characters it should have room for; 0 where it may be any.")
    options = RowShape(many=True)


class TableRowShape(WordsShape):
    """A row with its title."""

    cells = FieldShape(many=True)


class TableShape(Shape):
    """A table to fill in; no rows where none is asked."""

    columns = WordsShape(many=True)
    rows = TableRowShape(many=True)


class ClozeShape(Shape):
    """A text with gaps; no pieces where none is asked."""

    pieces = FieldShape(many=True)


class InputShape(Shape):
    """What an answer field needs."""

    options = RowShape(many=True)
    items = RowShape(many=True)
    unit = serializers.CharField(allow_blank=True)
    placeholder = serializers.CharField(allow_blank=True)
    hint = serializers.CharField(allow_blank=True)
    lines = serializers.IntegerField(help_text="Lines of text there should be room for.")
    many = serializers.BooleanField(  # type: ignore[assignment]
        help_text="Several options may be right, or none (`none`)."
    )
    distractors = serializers.BooleanField(help_text="Some items may have to be left out.")
    given = GivenShape(many=True)
    table = TableShape()
    cloze = ClozeShape()


class QueueItemShape(Shape):
    """A card to answer now. It holds neither key nor mistakes nor picture."""

    card = serializers.UUIDField()
    card_version = serializers.IntegerField()
    variant_seed = serializers.IntegerField(
        help_text="What the values of the question are drawn from; sent back with the answer. 0: none drawn."
    )
    answer_type = serializers.CharField()
    offline = serializers.BooleanField(help_text="Whether a client may grade it alone, by `vectors`.")
    prompt_html = serializers.CharField()
    prompt_text = serializers.CharField(
        help_text="The same in words: d_head, sqrt(64); a line for each block, code as it is written."
    )
    input = InputShape()
    state = serializers.CharField(help_text="new, learning, review or relearning.")
    due = serializers.DateTimeField(allow_null=True, help_text="null for a new card.")
    draw = serializers.FloatField(help_text="Send it with the rating, so that it gives these intervals.")
    practice = serializers.BooleanField(help_text="Send the attempt with `practice`; it is not rated.")
    intervals = IntervalsShape()


class PictureShape(Shape):
    """A picture to ask for with POST visualizations."""

    role = serializers.CharField(help_text="yours or right.")
    kind = serializers.CharField()
    parameters = serializers.DictField()
    seed = serializers.IntegerField()


@extend_schema_field(
    {
        "type": ["object", "null"],
        "properties": {
            "field": {"type": "string"},
            "start": {"type": "integer"},
            "end": {"type": "integer"},
        },
        "required": ["field", "start", "end"],
        "description": "Characters of the learner's own text, from `start` up to `end`; null where unknown.",
    }
)
class PlaceField(serializers.DictField):
    """Where in an answer something is."""


class PartShape(Shape):
    """The verdict on a cell, an option, an item or a point."""

    id = serializers.CharField()
    outcome = serializers.CharField(help_text="As of a grade; of a point to tick: hit, missing or unsure.")
    score = serializers.FloatField(help_text="0 to 1.")
    title = serializers.CharField(allow_blank=True)
    mistake = serializers.CharField(allow_blank=True, help_text="Of a point: what a red flag stands for.")
    feedback_html = serializers.CharField(allow_blank=True)
    read_as = serializers.CharField(allow_blank=True)
    key_text = serializers.CharField(allow_blank=True)
    quote = serializers.CharField(allow_blank=True, help_text="The learner's clause that it rests on.")


class GradeShape(Shape):
    """A verdict with its reason."""

    outcome = serializers.CharField(help_text="correct, partial, incorrect or undecided.")
    score = serializers.FloatField(help_text="0 to 1.")
    mistake = serializers.CharField(allow_blank=True, help_text="The name of the mistake found, or empty.")
    title = serializers.CharField(allow_blank=True)
    feedback_html = serializers.CharField(allow_blank=True)
    place = PlaceField()
    read_as = serializers.CharField(allow_blank=True)
    read_as_mathml = serializers.CharField(allow_blank=True)
    notes = serializers.ListField(child=serializers.CharField(), help_text="Such as: not simplified.")
    key_text = serializers.CharField(allow_blank=True)
    parts = PartShape(many=True)
    pending = serializers.CharField(
        allow_blank=True, help_text="worker or ticks while the verdict is still to come, else empty."
    )
    facts = serializers.DictField()
    pictures = PictureShape(many=True)


class AttemptShape(Shape):
    """A stored answer and what rating suggests itself."""

    id = serializers.UUIDField()
    grade = GradeShape()
    suggested_rating = serializers.CharField(
        allow_blank=True, help_text=f"{', '.join(RATINGS)}, or empty: rate yourself."
    )
    reason = serializers.CharField(allow_blank=True)
    draw = serializers.FloatField(
        required=False, help_text="Send it with the rating, so that it gives these intervals."
    )
    intervals = IntervalsShape(required=False, help_text="Of what is rated; practice is not.")


class ReadingShape(Shape):
    """How a text is read; never whether it is right."""

    read_as = serializers.CharField(allow_blank=True)
    read_as_mathml = serializers.CharField(allow_blank=True)


class OverrideShape(Shape):
    """How often a suggestion was kept, for one type of answer."""

    answer_type = serializers.CharField()
    suggested = serializers.IntegerField(help_text="Reviews whose rating was suggested.")
    kept = serializers.IntegerField()
    raised = serializers.IntegerField(help_text="Rated better than was suggested.")
    lowered = serializers.IntegerField()
    unsuggested = serializers.IntegerField(help_text="Reviews the learner rated with no suggestion.")


class VectorShape(Shape):
    """A question, a response and the verdict every grader has to give."""

    name = serializers.CharField()
    answer = serializers.DictField()
    mistakes = serializers.ListField(child=serializers.DictField())
    parameters = serializers.DictField()
    seed = serializers.IntegerField()
    right = serializers.ListField(child=serializers.DictField(), help_text="Responses that are right.")
    response = serializers.DictField()
    outcome = serializers.CharField(help_text="correct, partial, incorrect, undecided or unreadable.")
    score = serializers.FloatField()
    mistake = serializers.CharField(allow_blank=True)


class VectorsShape(Shape):
    """The test vectors of one answer type."""

    answer_type = serializers.CharField()
    vectors = VectorShape(many=True)


class ReviewShape(Shape):
    """A stored review and when the card comes back."""

    review = serializers.UUIDField()
    grade = GradeShape()
    due = serializers.DateTimeField(allow_null=True)
    state = serializers.CharField()
    intervals = IntervalsShape()


class VoidShape(Shape):
    """A line taken back, and the card as it stands without it."""

    review = serializers.UUIDField(help_text="The line that no longer counts.")
    due = serializers.DateTimeField(allow_null=True)
    state = serializers.CharField()
    intervals = IntervalsShape()


class TopicRowShape(Shape):
    """A topic in the list."""

    slug = serializers.CharField()
    title = serializers.CharField()
    deck = serializers.CharField()
    position = serializers.IntegerField()
    cards = serializers.IntegerField()


class SectionShape(Shape):
    """A part of a topic's page."""

    kind = serializers.CharField()
    title = serializers.CharField(allow_blank=True)
    html = serializers.CharField(allow_blank=True)
    read_seconds = serializers.IntegerField()


class TopicCardShape(Shape):
    """A card of a topic; what it asks is in the queue."""

    card = serializers.UUIDField()
    slug = serializers.CharField()
    answer_type = serializers.CharField()


class TopicShape(Shape):
    """A topic's page and its cards."""

    slug = serializers.CharField()
    title = serializers.CharField()
    deck = serializers.CharField()
    position = serializers.IntegerField()
    sections = SectionShape(many=True)
    cards = TopicCardShape(many=True)
    due = serializers.IntegerField()
    new = serializers.IntegerField()


class ModelShape(Shape):
    """A published model's numbers; 0 where the source gives none."""

    slug = serializers.CharField()
    name = serializers.CharField()
    layers = serializers.IntegerField()
    d_model = serializers.IntegerField()
    num_heads = serializers.IntegerField()
    num_kv_heads = serializers.IntegerField(help_text="0 for multi-head latent attention.")
    d_head = serializers.IntegerField(help_text="Of queries and keys.")
    d_head_v = serializers.IntegerField()
    attention = serializers.CharField()
    vocab = serializers.IntegerField()
    context = serializers.IntegerField()  # type: ignore[assignment]
    score_scale = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    status = serializers.CharField()
    as_of = serializers.CharField()
    note = serializers.CharField(allow_blank=True)
