"""Examples of settings and of catching up shown in the schema."""

from typing import Any

SETTINGS_SENT: dict[str, Any] = {
    "desired_retention": 0.92,
    "reviews_per_day": 40,
    "easy_days": ["normal", "normal", "normal", "normal", "normal", "normal", "minimum"],
    "schedule": {"relearning_steps": [600, 3600]},
}
SETTINGS: dict[str, Any] = {
    "desired_retention": 0.92,
    "deck_retention": {"transformers": 0.95},
    "new_per_day": 20,
    "reviews_per_day": 40,
    "rollover_hour": 4,
    "time_zone": "Europe/Berlin",
    "easy_days": SETTINGS_SENT["easy_days"],
    "spread_load": True,
    "schedule": {
        "version": 1,
        "learning_steps": [60, 600],
        "relearning_steps": [600, 3600],
        "maximum_interval": 36500,
        "leech_after": 8,
        "leech_suspends": False,
    },
}
CATCH_UP: dict[str, Any] = {
    "backlog": 180,
    "usual": 24,
    "is_backlog": True,
    "cap": 0,
    "options": [
        {"per_day": 40, "days": 13, "last_day": "2026-12-12", "forgotten_meanwhile": 9.4},
        {"per_day": 75, "days": 4, "last_day": "2026-12-03", "forgotten_meanwhile": 2.6},
    ],
}
