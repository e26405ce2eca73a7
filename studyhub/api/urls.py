"""Addresses under /api/; what is not listed is a problem, not a page."""

from django.urls import URLPattern, URLResolver, path, re_path

from studyhub.api import (
    attempts,
    card_events,
    catalogue,
    catch_up,
    grading,
    interview,
    jobs,
    parameters,
    pictures,
    reviews,
    settings,
    statistics,
    study,
    sync,
    ticks,
    vectors,
)
from studyhub.api.problems.nothing import NothingHere
from studyhub.api.schema import docs

app_name = "api"
urlpatterns: list[URLPattern | URLResolver] = [
    path("schema/", docs.Schema.as_view(), name="schema"),
    path("docs/", docs.Docs.as_view(), name="docs"),
    path("v1/study/queue", study.StudyQueue.as_view(), name="study-queue"),
    path("v1/study/settings", settings.Settings.as_view(), name="study-settings"),
    path("v1/study/catch-up", catch_up.CatchUpPreview.as_view(), name="study-catch-up"),
    path("v1/study/interview", interview.TheInterview.as_view(), name="interview"),
    path("v1/study/interview/use", interview.InterviewUse.as_view(), name="interview-use"),
    path("v1/study/fits", parameters.Fits.as_view(), name="study-fits"),
    path("v1/study/parameters", parameters.Versions.as_view(), name="study-parameters"),
    path("v1/study/parameters/undo", parameters.AdoptionUndo.as_view(), name="study-parameters-undo"),
    path(
        "v1/study/parameters/<int:version>/difference",
        parameters.VersionDifference.as_view(),
        name="study-parameters-difference",
    ),
    path(
        "v1/study/parameters/<int:version>/adopt",
        parameters.Adoption.as_view(),
        name="study-parameters-adopt",
    ),
    path("v1/jobs/<str:job_id>", jobs.OneJob.as_view(), name="job"),
    path("v1/study/statistics", statistics.StudyStatistics.as_view(), name="study-statistics"),
    path("v1/study/overrides", study.StudyOverrides.as_view(), name="study-overrides"),
    path("v1/attempts", attempts.Attempts.as_view(), name="attempts"),
    path("v1/attempts/<str:attempt_id>", attempts.OneAttempt.as_view(), name="attempt"),
    path("v1/attempts/<str:attempt_id>/ticks", ticks.Ticks.as_view(), name="ticks"),
    path("v1/grade", grading.Grades.as_view(), name="grade"),
    path("v1/readings", grading.Readings.as_view(), name="readings"),
    path("v1/vectors/<str:answer_type>", vectors.Vectors.as_view(), name="vectors"),
    path("v1/reviews", reviews.Reviews.as_view(), name="reviews"),
    path("v1/reviews/<str:review_id>/void", reviews.ReviewVoid.as_view(), name="review-void"),
    path("v1/cards/<str:card>/events", card_events.CardEvents.as_view(), name="card-events"),
    path("v1/sync", sync.Sync.as_view(), name="sync"),
    path("v1/topics", catalogue.TopicList.as_view(), name="topics"),
    path("v1/topics/<str:slug>", catalogue.TopicPage.as_view(), name="topic"),
    path("v1/models", catalogue.ModelList.as_view(), name="models"),
    path("v1/models/<str:slug>", catalogue.ModelRow.as_view(), name="model"),
    path("v1/visualizations", pictures.Visualizations.as_view(), name="visualizations"),
    path("v1/visualizations/<str:digest>", pictures.Visualization.as_view(), name="visualization"),
    path("v1/streams/<str:digest>", pictures.Stream.as_view(), name="stream"),
    path("v1/tensors/<str:sha256>", pictures.Tensor.as_view(), name="tensor"),
    path("v1", NothingHere.as_view()),
    re_path(r"^v1/", NothingHere.as_view()),  # whatever follows, a line break too
]
