"""Django's entry for this room."""

from django.apps import AppConfig


class CardsConfig(AppConfig):
    """The app `cards`."""

    name = "cards"
