"""Filters for numbers in templates. Knows no model."""

from django import template

from studyhub.web import words

register = template.Library()


@register.filter
def grouped(number: int) -> str:
    """2621440 -> "2,621,440"."""
    return words.grouped(int(number))


@register.filter
def span(seconds: float) -> str:
    """4233600 -> "49 days"."""
    return words.span(float(seconds))
