"""What the statistics answer, as shapes for the schema. Fills in nothing."""

from rest_framework import serializers

from studyhub.api.schema.shapes import Shape


class StatisticsTotalsShape(Shape):
    """Everything ever answered."""

    answers = serializers.IntegerField()
    seconds = serializers.IntegerField()
    since = serializers.DateField(allow_null=True, help_text="The first study day with an answer.")


class ShareShape(Shape):
    """So many of a number, with Wilson's 95 % interval."""

    passed = serializers.IntegerField()
    number = serializers.IntegerField()
    value = serializers.FloatField(allow_null=True, help_text="0 to 1; null of nothing.")
    low = serializers.FloatField()
    high = serializers.FloatField()


class RetentionShape(Shape):
    """Tested answers of a period that were not Again; young is an interval under 21 days."""

    period = serializers.CharField(help_text="today, yesterday, week, month, year or all.")
    young = ShareShape()
    mature = ShareShape()
    all = ShareShape()


class DayDueShape(Shape):
    """Cards that come due on a study day."""

    day = serializers.DateField()
    due = serializers.IntegerField()


class ForecastShape(Shape):
    """What comes due, before new cards; today first."""

    overdue = serializers.IntegerField(help_text="Due before today began.")
    days = DayDueShape(many=True)


class DayAnswersShape(Shape):
    """What was answered on a study day."""

    day = serializers.DateField()
    answers = serializers.IntegerField()
    seconds = serializers.IntegerField()


class TopicMasteryShape(Shape):
    """How much of a topic would be recalled today."""

    topic = serializers.CharField()
    title = serializers.CharField()
    cards = serializers.IntegerField(help_text="Published cards.")
    seen = serializers.IntegerField()
    expected = serializers.FloatField(help_text="How many of those seen would be recalled today.")
    mean_recall = serializers.FloatField(allow_null=True)
    observed = ShareShape(help_text="Tested answers, ever.")


class PromiseBinShape(Shape):
    """Answers with about the same promise."""

    promised = serializers.FloatField(help_text="The mean promise, 0 to 1.")
    share = ShareShape()


class ScoresShape(Shape):
    """How well the latest answers were foretold; smaller is better, but for auc."""

    name = serializers.CharField(help_text="schedule, average or moving_average.")
    number = serializers.IntegerField()
    log_loss = serializers.FloatField()
    rmse = serializers.FloatField()
    auc = serializers.FloatField(allow_null=True)


class CalibrationShape(Shape):
    """What recall was promised beside what came of it."""

    number = serializers.IntegerField()
    promised = serializers.FloatField(allow_null=True)
    recalled = ShareShape()
    since = serializers.DateField(allow_null=True)
    bins = PromiseBinShape(many=True)
    scores = ScoresShape(many=True)


class ConfidenceRowShape(Shape):
    """Answers given with one confidence, and how many were right."""

    said = serializers.IntegerField(help_text="Per cent: 40, 70 or 95.")
    share = ShareShape()


class ConfidenceShape(Shape):
    """How sure the learner was, beside how it fell."""

    number = serializers.IntegerField()
    brier = serializers.FloatField(allow_null=True, help_text="0 is best.")
    rows = ConfidenceRowShape(many=True)


class LeechShape(Shape):
    """A card that keeps being forgotten."""

    card = serializers.UUIDField()
    slug = serializers.CharField()
    topic = serializers.CharField()
    title = serializers.CharField(help_text="Of the topic.")
    lapses = serializers.IntegerField()
    tested = serializers.IntegerField()
    recalled = serializers.IntegerField()
    suspended = serializers.BooleanField()


class StatisticsShape(Shape):
    """All figures of a learner, as of now."""

    study_day = serializers.DateField()
    totals = StatisticsTotalsShape()
    days_in_a_row = serializers.IntegerField()
    true_retention = RetentionShape(many=True)
    forecast = ForecastShape()
    heat_map = DayAnswersShape(many=True)
    topics = TopicMasteryShape(many=True)
    calibration = CalibrationShape()
    confidence = ConfidenceShape()
    leeches = LeechShape(many=True)
