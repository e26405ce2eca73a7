"""What is sent and answered about pictures, as shapes. Whether a picture can be drawn is not known here."""

from typing import Any

from rest_framework import serializers

from attention_engine.spec import KINDS
from studyhub.api.reading.fields import StrictIntegerField, StrictSerializer, StrictTextField, kind
from studyhub.api.schema.shapes import Shape

DIGEST = "0b0e9d5c2f6a4f7f9c1d3a5b7e8f90123456789abcdef0123456789abcdef012"
MAX_PARAMETERS = 32


class ParametersField(serializers.DictField):
    """An object; its members are the kind's own and are read by the engine."""

    def to_internal_value(self, data: Any) -> Any:
        """The object as sent. Raises ValidationError."""
        if not isinstance(data, dict):
            raise serializers.ValidationError(f"must be an object, not {kind(data)}")
        if len(data) > MAX_PARAMETERS:
            raise serializers.ValidationError(f"has {len(data)} members; at most {MAX_PARAMETERS} are taken")
        return data


class VisualizationBody(StrictSerializer):
    """A picture to draw; what is left out takes the kind's defaults."""

    kind = StrictTextField(max_length=40, help_text=f"One of {', '.join(KINDS)}.")
    parameters = ParametersField(default=dict, help_text="Integers, texts and lists of integers, by name.")
    seed = StrictIntegerField(min_value=0, max_value=2**31 - 1, default=0)


class RequestedShape(Shape):
    """A picture that was asked for."""

    digest = serializers.CharField(help_text="The picture's address: equal pictures have equal digests.")
    state = serializers.CharField(help_text="queued, running, done or failed.")
    stream = serializers.CharField(help_text="Where its frames come as server-sent events.")
    poll = serializers.CharField(help_text="Where they can be asked for instead.")
    facts = serializers.DictField(help_text="What is known without a tensor.")
    parameters = serializers.DictField(help_text="All parameters, those left out filled in.")
    seed = serializers.IntegerField(help_text="0 where chance changes nothing.")


class KeptFrameShape(Shape):
    """A frame with its event id."""

    id = serializers.CharField()
    frame = serializers.DictField()


class FramesShape(Shape):
    """A picture as far as it is drawn."""

    state = serializers.CharField(help_text="queued, running, done or failed.")
    reset = serializers.BooleanField(help_text="Forget all frames: a new attempt has begun.")
    frames = KeptFrameShape(many=True)
    code = serializers.CharField(allow_blank=True, help_text="Why it failed, for programs.")
    sentence = serializers.CharField(allow_blank=True, help_text="Why it failed, for people.")
    retry_after_ms = serializers.IntegerField(help_text="When to ask again; 0 when nothing more will come.")


SENT = {"kind": "head_split", "parameters": {"model": "bert-base"}, "seed": 0}
REQUESTED = {
    "digest": DIGEST,
    "state": "queued",
    "stream": f"/api/v1/streams/{DIGEST}",
    "poll": f"/api/v1/visualizations/{DIGEST}",
    "facts": {"d_head": 64},
    "parameters": {"model": "bert-base", "num_heads": 12, "d_head": 64},
    "seed": 0,
}
FRAMES: dict[str, Any] = {
    "state": "done",
    "reset": False,
    "frames": [{"id": "1-1", "frame": {"n": 0, "step": "input", "axes": ["B", "T", "d_model"]}}],
    "code": "",
    "sentence": "",
    "retry_after_ms": 0,
}
