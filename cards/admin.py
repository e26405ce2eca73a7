"""Authoring in the admin. Shipped rows are read-only; a version is never edited, a new one is written."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.db.models import OuterRef, QuerySet, Subquery, URLField
from django.forms import modelform_factory
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html

from cards.answering import ANSWER_TYPES
from cards.authoring.editors import editor
from cards.authoring.forms import CardForm, TypeForm, answer_of
from cards.authoring.versions import copy_to_edit, latest_version, write_version
from cards.models import Card, CardVersion, Deck, Origin, Source, Topic

# Django's classes take a type argument for mypy only.
if TYPE_CHECKING:
    DeckBase = admin.ModelAdmin[Deck]
    TopicBase = admin.ModelAdmin[Topic]
    SourceBase = admin.ModelAdmin[Source]
    CardBase = admin.ModelAdmin[Card]
else:
    DeckBase = TopicBase = SourceBase = CardBase = admin.ModelAdmin


class ShippedIsReadOnly:
    """Rows the loader owns are shown, never changed: the next load would undo it."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No for shipped rows."""
        return not _shipped(obj) and super().has_change_permission(request, obj)  # type: ignore[misc]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No for shipped rows."""
        return not _shipped(obj) and super().has_delete_permission(request, obj)  # type: ignore[misc]


def _shipped(obj: Any) -> bool:
    return getattr(obj, "origin", Origin.LOCAL) == Origin.SHIPPED


@admin.register(Deck)
class DeckAdmin(ShippedIsReadOnly, DeckBase):
    """Shelves."""

    list_display = ("title", "slug", "origin")
    fields = ("title", "slug")
    prepopulated_fields = {}


@admin.register(Topic)
class TopicAdmin(ShippedIsReadOnly, TopicBase):
    """Pages; their sections come from content files."""

    list_display = ("title", "slug", "deck", "origin")
    list_filter = ("origin", "deck")
    fields = ("deck", "title", "slug", "position")


@admin.register(Source)
class SourceAdmin(ShippedIsReadOnly, SourceBase):
    """Where facts come from, and when they were last true."""

    list_display = ("key", "title", "year", "as_of", "origin")
    list_filter = ("origin",)
    formfield_overrides = {URLField: {"assume_scheme": "https"}}
    fields = ("key", "title", "authors", "year", "locator", "url", "as_of")
    search_fields = ("key", "title", "authors")


@admin.register(Card)
class CardAdmin(ShippedIsReadOnly, CardBase):
    """Cards: the form knows the answer type, saving writes a draft version, the preview publishes it."""

    form = CardForm
    list_display = ("slug", "preview_link", "kind", "state", "origin", "topic")
    list_filter = ("state", "origin", "topic")
    search_fields = ("slug",)
    list_select_related = ("topic",)
    actions = ("copy_to_edit", "retire")
    change_form_template = "cards/admin/change_card.html"
    change_list_template = "cards/admin/list_cards.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Card]:
        """Each card with the key and type of its newest version, read in one query."""
        newest = CardVersion.objects.filter(card=OuterRef("pk")).order_by("-number")
        return (
            super()
            .get_queryset(request)
            .annotate(
                newest=Subquery(newest.values("pk")[:1]),
                newest_type=Subquery(newest.values("answer_type")[:1]),
            )
        )

    @admin.display(description="answer type")
    def kind(self, card: Any) -> str:
        """The answer type of the newest version."""
        return str(card.newest_type or "")

    @admin.display(description="preview")
    def preview_link(self, card: Any) -> str:
        """To the preview page, which the service owns."""
        url = preview_url(card.newest)
        return format_html('<a href="{}">preview</a>', url) if url else ""

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Asks for the answer type first: the form depends on it."""
        if self._type_of(request, None) not in ANSWER_TYPES:
            context = {**self.admin_site.each_context(request), "form": TypeForm(), "title": "Add card"}
            return TemplateResponse(request, "cards/admin/choose_type.html", context)
        return super().add_view(request, form_url, extra_context)

    def get_form(
        self,
        request: HttpRequest,
        obj: Card | None = None,
        change: bool = False,  # noqa: ARG002 - the admin passes it by name
        **kwargs: Any,  # noqa: ARG002
    ) -> Any:
        """CardForm with the fields of this card's answer type."""
        if not self.has_change_permission(request, obj):
            return modelform_factory(Card, fields=())
        answer_type = self._type_of(request, obj)

        class Form(CardForm):
            def __init__(self, *args: Any, **inner: Any) -> None:
                super().__init__(*args, answer_type=answer_type, **inner)

        return Form

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """With a link to the cards that do not stick, which the service knows."""
        return super().changelist_view(request, {**(extra_context or {}), "sticking_url": sticking_url()})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """With a link to the preview."""
        card = self.get_object(request, object_id)
        context = {**(extra_context or {}), "preview_url": newest_preview(card)}
        return super().change_view(request, object_id, form_url, context)

    def get_fields(self, request: HttpRequest, obj: Card | None = None) -> Any:
        """Answer fields between prompt and explanation."""
        if not self.has_change_permission(request, obj):
            return ("topic", "slug", "position", "family", "state")
        stored = answer_of(latest_version(obj)) if obj else {}
        own = tuple(editor(self._type_of(request, obj), stored).fields(stored))
        first, last = (
            ("topic", "slug", "position", "family", "answer_type", "variants", "where", "prompt"),
            ("mistakes", "explanation", "hints"),
        )
        return (*first, *own, *last, "picture", "sources", "waivers", "edit")

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Writes the version beside the card, in the admin's own transaction."""
        super().save_related(request, form, formsets, change)
        values = form.cleaned_data
        version = write_version(form.instance, values["content"], author=request.user, edit=values["edit"])
        messages.info(
            request, f"Version {version.number} is written as a draft; publish it from the preview."
        )

    def response_add(self, request: HttpRequest, obj: Card, post_url_continue: Any = None) -> HttpResponse:
        """After "Save" comes the preview."""
        return self._previewed(request, obj) or super().response_add(request, obj, post_url_continue)

    def response_change(self, request: HttpRequest, obj: Card) -> HttpResponse:
        """After "Save" comes the preview."""
        return self._previewed(request, obj) or super().response_change(request, obj)

    @admin.action(description="Copy to edit: a local draft of each", permissions=["add"])
    def copy_to_edit(self, request: HttpRequest, queryset: QuerySet[Card]) -> HttpResponse:
        """Shipped cards are changed by copying them."""
        copies = [copy_to_edit(card, author=request.user) for card in queryset]
        messages.info(request, f"Local drafts: {', '.join(copy.slug for copy in copies)}")
        if len(copies) > 1:
            return HttpResponseRedirect(reverse("admin:cards_card_changelist"))
        return HttpResponseRedirect(reverse("admin:cards_card_change", args=[copies[0].pk]))

    @admin.action(description="Retire: ask no more, keep the reviews", permissions=["change"])
    def retire(self, request: HttpRequest, queryset: QuerySet[Card]) -> None:
        """Local cards only."""
        count = queryset.filter(origin=Origin.LOCAL).update(state=Card.State.RETIRED)
        messages.info(request, f"{count} local cards retired; shipped ones are left alone.")

    def get_readonly_fields(self, request: HttpRequest, obj: Card | None = None) -> Any:
        """State is changed by publishing and retiring."""
        return ("state",) if not self.has_change_permission(request, obj) else ()

    def has_delete_permission(self, request: HttpRequest, obj: Card | None = None) -> bool:
        """A card with reviews is retired, never deleted; drafts that were never published may go."""
        return super().has_delete_permission(request, obj) and (
            obj is None or obj.published_version_id is None
        )

    def _type_of(self, request: HttpRequest, obj: Card | None) -> str:
        version = latest_version(obj) if obj else None
        asked = request.POST.get("answer_type") or request.GET.get("answer_type") or ""
        return version.answer_type if version else asked

    def _previewed(self, request: HttpRequest, card: Card) -> HttpResponse | None:
        stays = {"_continue", "_addanother", "_saveasnew"} & set(request.POST)
        url = newest_preview(card)
        return HttpResponseRedirect(url) if url and not stays else None


def newest_preview(card: Card | None) -> str:
    """The preview page of a card's newest version; "" where there is none."""
    version = latest_version(card) if card else None
    return preview_url(version.pk if version else None)


def preview_url(version: int | None) -> str:
    """The preview page of a version; "" where no service is attached."""
    try:
        return f"{reverse('web:preview')}?version={version}" if version else ""
    except NoReverseMatch:
        return ""


def sticking_url() -> str:
    """The page of cards that do not stick; "" where no service is attached."""
    try:
        return reverse("web:sticking")
    except NoReverseMatch:
        return ""
