"""Filters for numbers and names in templates. Knows no model."""

from django import template
from django.conf import settings
from django.forms import BoundField
from django.utils.html import strip_tags
from django.utils.safestring import SafeString, mark_safe

from studyhub.web import words

THREE_LINES = 100  # characters

LABELS = {
    "Remember Me": "Keep me signed in",
    "Login": "User name or e-mail address",
    "Username": "User name",
    "Email": "E-mail address",
    "E-mail": "E-mail address",
    "Email (optional)": "E-mail address (optional)",
}

register = template.Library()


@register.filter
def labelled(label: str) -> str:
    """What a field of an account page is called: "New Password" -> "New password"."""
    return LABELS.get(str(label), str(label).capitalize())


@register.filter
def bare(field: BoundField) -> str:
    """A field without its placeholder, which would say its label again in other words."""
    return field.as_widget(attrs={"placeholder": False})


@register.simple_tag
def mail_place() -> str:
    """Where a message is printed by a service that has no mail server; "" where it is sent."""
    if not settings.EMAIL_BACKEND.endswith("console.EmailBackend"):
        return ""
    return "in the terminal where it runs" if settings.EMBEDDED else "in the log of its web process"


@register.filter
def grouped(number: int) -> str:
    """2621440 -> "2,621,440"."""
    return words.grouped(int(number))


@register.filter
def scrollable(html: str) -> SafeString:
    """Our own cleaned HTML with code and tables that scroll sideways within reach of the keyboard."""
    return mark_safe(html.replace("<pre>", '<pre tabindex="0">').replace("<table>", '<table tabindex="0">'))  # noqa: S308


@register.filter
def takes_room(html: str) -> bool:
    """Whether a question is more than three short lines of text on a phone, or has parts below them."""
    return len(strip_tags(html)) > THREE_LINES or html.count("</p>") > 1 or has_parts(html)


@register.filter
def has_parts(html: str) -> bool:
    """Whether there is code or a table beside the text."""
    return "<pre" in html or "<table" in html


@register.filter
def span(seconds: float) -> str:
    """4233600 -> "49 days"."""
    return words.span(float(seconds))
