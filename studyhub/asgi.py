"""The ASGI application: pages, API and event streams."""

import os
import warnings

from django.core.asgi import get_asgi_application

# WhiteNoise opens files the synchronous way; Django reads them in a thread and says so once a process.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyhub.settings")
application = get_asgi_application()
