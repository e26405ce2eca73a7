"""Addresses of the pages."""

from django.templatetags.static import static
from django.urls import URLPattern, URLResolver, path
from django.utils.functional import lazy
from django.views.generic import RedirectView

from studyhub.web import (
    preview,
    reviews_file,
    views_cards,
    views_fit,
    views_interview,
    views_lab,
    views_progress,
    views_rating,
    views_recent,
    views_sessions,
    views_settings,
    views_sticking,
    views_study,
    views_ticks,
    views_today,
    views_topic,
)

app_name = "web"
MARK = lazy(static, str)("studyhub/mark.svg")
urlpatterns: list[URLPattern | URLResolver] = [
    path("", views_today.today, name="today"),
    path("topics/", views_today.topics, name="topics"),
    path("topics/<slug:slug>/", views_topic.topic, name="topic"),
    path("lab/", views_lab.lab, name="lab"),
    path("lab/<slug:kind>/", views_lab.picture, name="lab-picture"),
    path("progress/", views_progress.progress, name="progress"),
    path("progress/reviews.csv", reviews_file.reviews_file, name="reviews-file"),
    path("progress/fit/", views_fit.fit, name="fit"),
    path("progress/fit/use/", views_fit.use, name="fit-use"),
    path("progress/fit/undo/", views_fit.undo, name="fit-undo"),
    path("interview/", views_interview.interview, name="interview"),
    path("interview/use/", views_interview.use, name="interview-use"),
    path("interview/remove/", views_interview.remove, name="interview-remove"),
    path("study/", views_study.study, name="study"),
    path("study/ticks/", views_ticks.ticks, name="ticks"),
    path("study/card/", views_cards.act, name="card"),
    path("study/catch-up/", views_sessions.catch_up, name="catch-up"),
    path("study/custom/", views_sessions.custom, name="custom"),
    path("study/recent/", views_recent.recent, name="recent"),
    path("study/suspended/", views_cards.suspended, name="suspended"),
    path("study/rate/", views_rating.rate, name="rate"),
    path("study/undo/", views_rating.undo, name="undo"),
    path("study/done/", views_rating.done, name="done"),
    path("settings/", views_settings.settings, name="settings"),
    path("favicon.ico", RedirectView.as_view(url=MARK), name="favicon"),
    path("author/sticking/", views_sticking.sticking, name="sticking"),
    path("author/preview/", preview.preview, name="preview"),
]
