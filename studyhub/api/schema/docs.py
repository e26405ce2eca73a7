"""The schema to read and to try, served from our own files under our content security policy."""

from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView


class Schema(SpectacularAPIView):
    """GET /api/schema/: OpenAPI 3.1."""


class Docs(SpectacularSwaggerSplitView):
    """GET /api/docs/: Swagger UI without inline script or style."""

    url_name = "api:schema"
    template_name = "api/docs.html"
