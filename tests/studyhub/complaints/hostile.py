"""Texts that try to run something where they are shown, and a deck that holds them in every field."""

from cards.models import Card, Topic
from cards.sections import SectionText, section_json

from .authoring import NUMBER, stored

HOSTILE = (
    "<script>window.ran=1</script>",
    "<img src=x onerror=window.ran=1>",
    "<svg onload=window.ran=1></svg>",
    "<svg><script>window.ran=1</script></svg>",
    "<iframe srcdoc='<script>parent.ran=1</script>'></iframe>",
    "<details open ontoggle=window.ran=1>x</details>",
    "<body onload=window.ran=1>",
    "<math><annotation-xml encoding='text/html'><script>window.ran=1</script></annotation-xml></math>",
    "<math href='javascript:window.ran=1'>x</math>",
    "<a href='javascript:window.ran=1'>x</a>",
    "[x](javascript:window.ran=1)",
    "[x](JaVaScRiPt&#58;window.ran=1)",
    "[x](data:text/html,<script>parent.ran=1</script>)",
    '[x](https://a.example "onmouseover=window.ran=1")',
    "![x](https://tracker.example/x.png)",
    "<javascript:window.ran=1>",
    "$\\href{javascript:window.ran=1}{x}$",
    "$\\text{<img src=x onerror=window.ran=1>}$",
    "$</math><script>window.ran=1</script>$",
    "`</code><script>window.ran=1</script>`",
    ":H[<script>window.ran=1</script>]",
    "<style>*{display:none}</style>",
    "<p style='position:fixed;inset:0'>x</p>",
    "<form action='https://a.example'><input name=password></form>",
    "<meta http-equiv=refresh content='0;url=https://a.example'>",
    "<base href='https://a.example/'>",
    "<object data='javascript:window.ran=1'></object>",
    "<embed src='javascript:window.ran=1'>",
    "<template><script>window.ran=1</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=window.ran=1>'></noscript>",
    '"><script>window.ran=1</script>',
    "' onfocus=window.ran=1 autofocus='",
    "</textarea><script>window.ran=1</script>",
    "</title><script>window.ran=1</script>",
    "<!--><script>window.ran=1</script>-->",
    "<scr\x00ipt>window.ran=1</scr\x00ipt>".replace("\x00", "<b></b>"),
    "{{ constructor.constructor('window.ran=1')() }}",
    "{% include '../../settings.py' %}",
    "\u202e<script>window.ran=1</script>",
)


def hostile_deck(topic: Topic) -> list[Card]:
    """Cards "number", "options" and "points" of this topic, as they are stored once they are saved."""
    text = "\n\n".join(HOSTILE)
    section = section_json(SectionText("rule", HOSTILE[0], text))
    Topic.objects.filter(pk=topic.pk).update(title=HOSTILE[1], sections=[section])
    says = [{"name": "tens", "key": 10, "title": HOSTILE[0], "says": text}]
    fields = {"prompt": text, "explanation": text, "hints": [HOSTILE[0], HOSTILE[10], HOSTILE[17]]}
    options = [{"id": f"o{n}", "text": one, "correct": n == 0} for n, one in enumerate(HOSTILE[:8])]
    points = {"type": "reveal", "rubric": list(HOSTILE[:20])}
    return [
        stored(topic, "number", NUMBER | {"unit": HOSTILE[1]}, mistakes=says, **fields),
        stored(topic, "options", {"type": "choice", "options": options}, position=1, **fields),
        stored(topic, "points", points, position=2, **fields),
    ]
