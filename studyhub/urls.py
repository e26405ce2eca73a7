"""Every address of the service, by room."""

from django.contrib import admin
from django.urls import include, path

from studyhub.api.problems.pages import problem_page

urlpatterns = [
    path("", include("studyhub.web.urls")),
    path("api/", include("studyhub.api.urls")),
    path("problems/<slug:name>", problem_page, name="problem"),
    path("", include("studyhub.operations.urls")),
    path("accounts/", include("allauth.urls")),
    path("_allauth/", include("allauth.headless.urls")),
    path("admin/", admin.site.urls),
]
