"""Django's settings, derived from the environment. Decides nothing about learners or cards."""

from pathlib import Path
from typing import Any

import environ

from studyhub.env import PROJECT, read_environment

ENVIRONMENT = read_environment()
BASE_DIR = PROJECT
DEBUG = ENVIRONMENT.debug
SECRET_KEY = ENVIRONMENT.secret_key
ALLOWED_HOSTS = ENVIRONMENT.allowed_hosts
CSRF_TRUSTED_ORIGINS = ENVIRONMENT.csrf_trusted_origins

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.headless",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "cards",
    "studyhub.study",
    "studyhub.api",
    "studyhub.web",
    "studyhub.operations",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "studyhub.web.packed_files.PackedFilesMiddleware",
    "studyhub.web.middleware.ContentSecurityPolicyMiddleware",
    "studyhub.api.problems.middleware.ProblemMiddleware",
    "studyhub.api.sign_in.SignInMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "studyhub.urls"
WSGI_APPLICATION = "studyhub.wsgi.application"
ASGI_APPLICATION = "studyhub.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [PROJECT / "studyhub" / "web" / "templates"],  # ours before allauth's
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]


def _database(url: str) -> dict[str, Any]:
    """SQLite in WAL mode with immediate transactions (else writers meet "locked"), or PostgreSQL."""
    config: dict[str, Any] = environ.Env.db_url_config(url)
    if config["ENGINE"].endswith("sqlite3"):
        config["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        }
    else:
        # Psycopg's pool, since persistent connections and ASGI's threads do not go together.
        config["CONN_MAX_AGE"] = 0
        config["OPTIONS"] = {"pool": {"min_size": 0, "max_size": 8, "timeout": 10}}
    return config


DATABASES = {"default": _database(ENVIRONMENT.database_url)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
_IN_PROCESS = "django.core.cache.backends.locmem.LocMemCache"
CACHES = {
    "default": {"BACKEND": _IN_PROCESS},
    # What is counted for learners would push the counters of requests out: locmem holds 300 entries at first.
    "study": {"BACKEND": _IN_PROCESS, "LOCATION": "study", "OPTIONS": {"MAX_ENTRIES": 5_000}},
}

AUTHENTICATION_BACKENDS = [
    "studyhub.api.sign_in.BoundedNames",
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "web:today"
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"

# Mobile clients: allauth's app API with short JWTs; stateful, so a log-out revokes at once.
HEADLESS_CLIENTS = ("app",)
HEADLESS_ONLY = False
HEADLESS_TOKEN_STRATEGY = "allauth.headless.tokens.strategies.jwt.JWTTokenStrategy"  # noqa: S105
HEADLESS_JWT_ALGORITHM = "HS256"
HEADLESS_JWT_PRIVATE_KEY = ENVIRONMENT.jwt_key
HEADLESS_JWT_STATEFUL_VALIDATION_ENABLED = True
HEADLESS_JWT_ACCESS_TOKEN_EXPIRES_IN = 15 * 60
HEADLESS_JWT_REFRESH_TOKEN_EXPIRES_IN = 60 * 24 * 3600
SESSION_COOKIE_AGE = 60 * 24 * 3600

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ENVIRONMENT.secure
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ENVIRONMENT.secure else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "SAMEORIGIN"
SECURE_CSP = {
    "default-src": ["'self'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "style-src-attr": ["'unsafe-inline'"],  # MathML's alignment; nh3 admits five properties only
    "img-src": ["'self'", "data:"],
    "font-src": ["'self'"],
    "connect-src": ["'self'"],
    "object-src": ["'none'"],
    "base-uri": ["'none'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'self'"],
}

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

STATIC_URL = "/static/"
STATIC_ROOT = ENVIRONMENT.var / "static"
STATIC_ROOT.mkdir(exist_ok=True)
# Finders serve the committed files from a clean clone; `collectstatic` is for images and proxies.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "allauth.headless.contrib.rest_framework.authentication.JWTTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["studyhub.api.reading.parsers.BoundedJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "studyhub.api.schema.operations.Operations",
    "EXCEPTION_HANDLER": "studyhub.api.problems.problem.exception_handler",
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.ScopedRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {
        "attempts": "120/min",
        "reviews": "240/min",
        "sync": "60/min",
        "visualizations": "60/min",
        "grade": "60/min",
        "readings": "240/min",
        "jobs": "12/min",
    },
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "StudyHub",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
}

CELERY_BROKER_URL = ENVIRONMENT.broker_url
FRAMES_URL = ENVIRONMENT.frames_url
VAR = ENVIRONMENT.var
EMBEDDED = ENVIRONMENT.embedded
BEAT_IN_WORKER = ENVIRONMENT.beat_in_worker
CONTENT = Path(PROJECT / "cards" / "content")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": ENVIRONMENT.log_level},
    "loggers": {
        "django.server": {"level": "WARNING"},
        "django.request": {"level": "ERROR"},  # a 4xx is an answer to its sender, not a fault of the service
    },
}
