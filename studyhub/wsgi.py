"""The WSGI application: pages and API, no event streams."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyhub.settings")
application = get_wsgi_application()
