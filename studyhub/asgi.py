"""The ASGI application: pages, API and event streams."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyhub.settings")
application = get_asgi_application()
