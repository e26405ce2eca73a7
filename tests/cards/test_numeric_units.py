"""Units of a number: families that convert, kinds that do not, and what is said where one is missing."""

import pytest

from cards.answering import grade, key_text, question_input, reading
from cards.grading import Place
from cards.lint import lint_card

pytestmark = pytest.mark.plain

CACHE = {
    "key": {"compute": "kv_bytes", "model": "llama-3-70b", "tokens": 8192},
    "key_unit": "bytes",
    "unit": "GiB",
    "unit_required": True,
    "tolerance": {"relative": 0.005},
}
NOTHING = {"key": {"compute": "bytes_in", "shape": [0, 4]}, "unit": "bytes"}


@pytest.mark.parametrize(
    "text",
    ["2.5 GiB", "2,560 MiB", "2.68 GB", "2684354560 bytes", "2.5 gib", "20 Gibit", "5/2 GiB",
    r"\frac{5}{2}\text{ GiB}",
     "2.5GiB", "GiB = 2.5", "2.5 gibibytes", "2,621,440 KiB"],
)  # fmt: skip
def test_a_size_is_right_in_every_unit_of_its_family(card, text):
    assert grade(card(answer=CACHE), 0, {"text": text}).outcome == "correct"


def test_a_right_number_without_its_unit_is_half_right_and_says_so(card):
    found = grade(card(answer=CACHE), 0, {"text": " 2.5"})
    assert (found.outcome, found.score, found.mistake) == ("partial", 0.5, "missing_unit")
    assert found.feedback == "2.5 is right in GiB. The unit belongs to the answer: 2.5 GiB."
    assert found.place == Place("text", 1, 4)


def test_a_wrong_number_without_its_unit_is_wrong(card):
    assert grade(card(answer=CACHE), 0, {"text": "3"}).outcome == "incorrect"


@pytest.mark.parametrize(
    ("text", "name", "says"),
    [
        ("2.5 GB", "gib_for_gb", "2.5 GB are about 2.328 GiB; the answer is 2.5 GiB."),
        ("2.5 Gibit", "bits_for_bytes", "2.5 Gibit are 0.3125 GiB; the answer is 2.5 GiB."),
        ("2.5 MiB", "wrong_unit", "2.5 MiB are 5/2,048 GiB; the answer is 2.5 GiB."),
        ("2.5 tokens", "wrong_unit", "You gave a number of tokens; the question asks for GiB."),
    ],
)
def test_the_right_number_in_another_unit_is_wrong_and_the_unit_is_pointed_at(card, text, name, says):
    found = grade(card(answer=CACHE), 0, {"text": text})
    assert (found.outcome, found.mistake, found.feedback) == ("incorrect", name, says)
    assert found.place == Place("text", 4, len(text))


@pytest.mark.parametrize("text", ["0 V", "0 heads", "0 seconds", "0 tokens", "0 FLOP", "0 layers", "0 ms"])
def test_nothing_in_another_kind_of_unit_is_never_right(card, text, refusal):
    version = card(answer=NOTHING)
    if text == "0 V":
        assert "bytes" in refusal(grade, version, 0, {"text": text}).message
    else:
        assert grade(version, 0, {"text": text}).mistake == "wrong_unit"


@pytest.mark.parametrize("text", ["0", "0 bytes", "0 GB", "0 GiB", "0 bits", "0.0", "−0", "0/5"])
def test_nothing_in_a_unit_of_the_family_is_nothing(card, text):
    assert grade(card(answer=NOTHING), 0, {"text": text}).outcome == "correct"


@pytest.mark.parametrize("unit", ["b", "Gb", "Mb", "Kb", "kb", "gb", "Gib", "Mib"])
def test_a_small_b_may_be_bits_or_bytes_and_is_sent_back(card, unit, refusal):
    problem = refusal(grade, card(answer=CACHE), 0, {"text": f"20 {unit}"})
    assert problem.message.startswith(f"{unit} may be bits or bytes; write ")
    assert problem.offset == 3


@pytest.mark.parametrize("text", ["2.5Gi", "2.5 Gi", "2.5G", "2560M", "2560 Mi", "2.5 T", "8k"])
def test_a_scale_alone_is_no_size_where_a_larger_unit_is_asked(card, text, refusal):
    assert "Give the number of GiB." in refusal(grade, card(answer=CACHE), 0, {"text": text}).message


def test_a_mistake_of_the_card_is_named_before_its_unit(card):
    mistake = {
        "name": "heads",
        "key": {"compute": "num_heads", "model": "bert-base"},
        "says": "{answer} heads.",
    }
    version = card(
        answer={"key": {"compute": "d_head", "model": "bert-base"}, "unit": "dims"}, mistakes=[mistake]
    )
    assert grade(version, 0, {"text": "12 heads"}).mistake == "heads"
    assert grade(version, 0, {"text": "64 heads"}).mistake == "wrong_unit"
    assert grade(version, 0, {"text": "64 dims"}).outcome == "correct"


@pytest.mark.parametrize(
    ("text", "unit", "outcome"),
    [
        ("402.65 MFLOP", "FLOP", "correct"), ("0.40265 GFLOPs", "FLOP", "correct"), ("402653184 flops",
        "FLOP", "correct"),
        ("402653184 tokens", "FLOP", "incorrect"),
    ],
)  # fmt: skip
def test_operations_are_counted_in_thousands_too(card, text, unit, outcome):
    key = {"compute": "score_flops", "d_model": 1536, "tokens": 256}
    version = card(answer={"key": key, "unit": unit, "tolerance": {"relative": 0.001}})
    assert grade(version, 0, {"text": text}).outcome == outcome


def test_a_rate_for_one_thing_is_not_a_rate_for_another(card):
    version = card(
        answer={"key": {"compute": "kv_bytes_per_token", "model": "llama-3-8b"}, "unit": "bytes per token"}
    )
    graded = {
        t: grade(version, 0, {"text": t}) for t in ("128 KiB/token", "131072 bytes", "128 KiB per layer")
    }
    assert [g.outcome for g in graded.values()] == ["correct", "correct", "incorrect"]
    assert graded["128 KiB per layer"].mistake == "wrong_unit"


def test_the_card_says_what_its_key_counts_and_what_it_asks(card):
    version = card(answer=CACHE)
    assert key_text(version) == "2.5 GiB"
    assert question_input(version)["hint"].endswith(", with its unit")
    assert lint_card(version) == []


@pytest.mark.parametrize(
    ("text", "outcome"),
    [("768 / 12 heads = 64 dims", "correct"), ("768/12 heads = 64", "correct"), ("64 dims = 64 heads",
    "incorrect"),
     ("64 = 64 heads", "incorrect"), ("64 dims = 64", "correct")],
)  # fmt: skip
def test_the_unit_of_the_last_side_is_the_one_that_counts(card, text, outcome):
    version = card(answer={"key": {"compute": "d_head", "model": "bert-base"}, "unit": "dims"})
    assert grade(version, 0, {"text": text}).outcome == outcome


@pytest.mark.parametrize(
    ("text", "outcome"),
    [("12%", "correct"), ("12 percent", "correct"), ("12", "partial"), ("0.12", "incorrect")],
)
def test_a_card_may_ask_for_per_cent(card, text, outcome):
    answer = {"key": {"compute": "num_heads", "model": "bert-base"}, "unit": "%", "unit_required": True}
    assert grade(card(answer=answer), 0, {"text": text}).outcome == outcome


def test_a_unit_is_read_before_it_is_right(card):
    assert reading(card(answer=CACHE), 0, "text", "3 heads").read_as == "Read as 3 heads"


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ({"unit_required": True}, "unit_required needs a unit"),
        ({"unit": "GiB", "key_unit": "heads"}, "key_unit 'heads' is no unit that becomes 'GiB'"),
        ({"locale": "fr"}, "locale is one of en, de, any, not 'fr'"),
        ({"form": "short"}, "form is one of any, simplified, not 'short'"),
        ({"accepts": [64]}, "accepts is a list of {key: KEY, tolerance: ...}, not 64"),
    ],
)
def test_a_setting_that_cannot_work_is_told_to_the_author(card, answer, complaint):
    version = card(answer={"key": {"compute": "d_head", "model": "bert-base"}, **answer})
    assert complaint in " ".join(problem.message for problem in lint_card(version))
