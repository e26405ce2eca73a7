"""Every number that the d_head page states is what closed forms, model table and a run of torch say."""

import re
import statistics
from functools import cache
from pathlib import Path

import pytest
import torch

from attention_engine.arithmetic import (
    attention_parameters,
    d_head,
    heads_times_d_head,
    inner_width,
    kernel_width,
    kv_bytes_per_token,
    kv_head_of,
    nearest_divisors,
    quotient,
    remainder,
    scale_divisor,
    smallest_divisor_above,
)
from attention_engine.configs import ModelConfig, model
from attention_engine.pipeline import Step, head_split_steps
from attention_engine.shapes import contiguous_strides, numbers_in, shape_after

pytestmark = pytest.mark.plain

FOLDER = Path(__file__).parents[2] / "cards" / "content" / "transformers"
BERT = model("bert-base")
GEMMA = model("gemma-7b")
LLAMA = model("llama-3-70b")
DEEPSEEK = model("deepseek-v3-r1-671b")
FLAN = model("t5-v1.1-small-flan-t5-small")
OSS = model("gpt-oss-120b")
PALM = model("palm-540b")
GPT_3_13B = model("gpt-3-13b")
GEMMA_2 = model("gemma-2-27b")


@cache
def page() -> str:
    """The page's text in one line, dollars and braces of the maths left out."""
    text = (FOLDER / "d-head" / "topic.md").read_text(encoding="utf-8").split("---\n", 2)[2]
    return " ".join(re.sub(r"[${}\\]", "", text).split())


def number(value: float) -> str:
    return f"{value:,}"


CLAIMS = [
    ("768 / 12 = {}", d_head(model="bert-base")),
    ("every token through its own 768 × {} projection", d_head(model="bert-base")),
    ("(2, 4, 768): {} numbers", numbers_in(shape=(2, 4, 768))),
    ("768 = 10 × {} + 8", quotient(d_model=768, num_heads=10)),
    ("768 = 10 × 76 + {}, so", remainder(d_model=768, num_heads=10)),
    ("2 × 4 × 10 × 76 = {} numbers", numbers_in(shape=(2, 4, 10, 76))),
    ("work are {} heads of 96", nearest_divisors(n=768, near=10)[0]),
    ("and {} heads of 64.", nearest_divisors(n=768, near=10)[1]),
    ("the first that divides 768 is {}", smallest_divisor_above(n=768, above=8)),
    ("The divisor is the square root of 64, which is {}", scale_divisor(d_head=64)),
    ("8,192 to {} |", LLAMA.num_kv_heads * LLAMA.d_head),
    ("Llama-3-70B caches {} bytes a token", kv_bytes_per_token(model="llama-3-70b")),
    ("would need {}, and with one", kv_bytes_per_token(model="llama-3-70b", num_kv_heads=64)),
    ("with one it would need {}", kv_bytes_per_token(model="llama-3-70b", num_kv_heads=1)),
    ("DeepSeek-V3 needs {}", kv_bytes_per_token(model="deepseek-v3-r1-671b")),
    ("2 × 80 × 8 × 128 × 2 = {} bytes", kv_bytes_per_token(model="llama-3-70b")),
    ("share one of {} key and value heads of 128", LLAMA.num_kv_heads),
    ("keeps {} query heads of 128", LLAMA.num_heads),
    ("16 heads of {} on a model width of 3,072", GEMMA.d_head),
    ("W_O maps {} back to 3,072", heads_times_d_head(model="gemma-7b")),
    ("W_O maps 4,096 back to {}", GEMMA.d_model),
    ("T5-11B (128 heads of 128 = {} on", heads_times_d_head(model="t5-11b")),
    ("on a width of {}, where the quotient would be 8", model("t5-11b").d_model),
    ("gpt-oss (64 heads of 64 = {} on", heads_times_d_head(model="gpt-oss-120b")),
    ("on a width of {}, whose quotient would be 45", OSS.d_model),
    ("whose quotient would be {}", quotient(d_model=OSS.d_model, num_heads=OSS.num_heads)),
    ("DeepSeek-V3 (128 heads scoring with {} numbers on 7,168", DEEPSEEK.d_head),
    ("scores with 192 numbers and carries {}", DEEPSEEK.d_head_v),
    ("where the quotient would be {})", quotient(d_model=DEEPSEEK.d_model, num_heads=DEEPSEEK.num_heads)),
    ("Flan-T5-small (6 heads of 64 = {} on 512)", heads_times_d_head(model=FLAN.slug)),
    ("PaLM 540B (48 heads of 256 = {} on", heads_times_d_head(model="palm-540b")),
    ("= 12,288 on {}, known", PALM.d_model),
    ("a 13B model of width {} with 40", GPT_3_13B.d_model),
    ("heads of 128, which is {}.", heads_times_d_head(model="gpt-3-13b")),
    ("the square root of 4,608 / 32 = {}", GEMMA_2.d_model // GEMMA_2.num_heads),
    ("divides by {}, the square root", scale_divisor(d_head=144)),
    ("runs with an inner width of {};", inner_width(d_model=10, num_heads=3)),
    ("a head of 80 runs as {}", kernel_width(d_head=80)),
    ("768 × {} matrix", 3 * model("gpt-2-small").num_heads * model("gpt-2-small").d_head),
    ("cuts key and value heads from 64 to {}", LLAMA.num_kv_heads),
    ("96 heads of {}.", model("gpt-3-175b").d_head),
]


@pytest.mark.parametrize(("words", "value"), CLAIMS)
def test_a_number_on_the_page_is_what_the_closed_form_gives(words: str, value: float) -> None:
    assert words.format(number(value)) in page()


def test_every_large_number_on_the_page_is_claimed_computed_or_named_here() -> None:
    known = {number(value) for _, value in CLAIMS}
    known |= {number(n) for one in (BERT, GEMMA, LLAMA, DEEPSEEK, FLAN, OSS, PALM) for n in _sizes(one)}
    known |= {"4,608"}  # d_model of Gemma-2 27B, see the claim on its square root
    known |= {"1,000", "1,536"}  # a test's factor; the width of DeepSeek-V3's query latent, not in the table
    found = set(re.findall(r"\d{1,3}(?:,\d{3})+", page()))
    assert found - known == set()


def _sizes(config: ModelConfig) -> list[int]:
    return [value for value in vars(config).values() if isinstance(value, int)]


@pytest.mark.parametrize("step", head_split_steps(batch=2, tokens=4, d_model=768, num_heads=12, d_head=64))
def test_the_pipeline_table_shows_the_shape_after_each_step(step: Step) -> None:
    rows = {
        re.sub(r"^\d ", "", cells[0]): re.sub(r":\w+\[(\w+)\]", r"\1", cells[3])
        for line in (FOLDER / "d-head" / "topic.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("|") and len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 5
    }
    assert rows[step.name] == str(step.shape)


def test_scores_of_bert_base_on_the_page_have_the_shape_of_all_pairs() -> None:
    assert shape_after(step="scores", batch=2, tokens=4, num_heads=12, d_head=64) == (2, 12, 4, 4)
    assert "(:B[2], :H[12], :T[4], :T[4])" in page()


def test_strides_on_the_page_are_those_of_the_right_and_the_wrong_split() -> None:
    q = torch.arange(2 * 4 * 768).view(2, 4, 768)
    right, wrong = q.view(2, 4, 12, 64).transpose(1, 2), q.view(2, 12, 4, 64)
    assert f"its strides are {right.stride()}" in page()
    assert f"Its strides are {wrong.stride()}" in page()
    assert wrong.stride() == contiguous_strides((2, 12, 4, 64))
    misplaced = (right != wrong).float().mean().item()
    assert f"{misplaced:.1%} of the numbers are out of place" in page()


def test_reshape_without_the_transpose_runs_and_scrambles_as_many() -> None:
    out = torch.arange(2 * 4 * 768).view(2, 12, 4, 64)
    scrambled = (out.reshape(2, 4, 768) != out.transpose(1, 2).reshape(2, 4, 768)).float().mean().item()
    assert f"{scrambled:.3f}" == "0.958"
    with pytest.raises(RuntimeError, match="size and stride"):
        out.transpose(1, 2).view(2, 4, 768)


def test_three_heads_on_a_width_of_ten_have_the_four_outcomes_of_the_page() -> None:
    x = torch.zeros(2, 4, 10)
    with pytest.raises(RuntimeError):
        x.view(2, 4, 3, 3)
    with pytest.raises(RuntimeError):
        torch.unflatten(x, -1, (3, 3))
    with pytest.raises(AssertionError):
        torch.nn.MultiheadAttention(10, 3)
    assert torch.nn.Linear(10, 3 * (10 // 3))(x).view(2, 4, 3, 3).shape == (2, 4, 3, 3)
    assert [piece.shape[-1] for piece in x.chunk(3, dim=-1)] == [4, 4, 2]


def test_softmax_saturates_without_the_root_as_the_page_says() -> None:
    generator = torch.Generator().manual_seed(0)
    queries = torch.randn(16, 128, 64, generator=generator)
    keys = torch.randn(16, 256, 64, generator=generator)
    scores = queries @ keys.transpose(-2, -1)
    for scale, largest, trace in ((1.0, 0.77, 0.33), (8.0, 0.04, 0.99)):
        weights = (scores / scale).softmax(dim=-1)
        assert weights.amax(dim=-1).mean().item() == pytest.approx(largest, abs=0.03)
        assert (weights * (1 - weights)).sum(dim=-1).mean().item() == pytest.approx(trace, abs=0.03)


def test_a_query_that_equals_its_key_has_mean_and_variance_of_the_page() -> None:
    q = torch.randn(20_000, 64, generator=torch.Generator().manual_seed(0))
    squares = (q * q).sum(dim=-1)
    assert squares.mean().item() == pytest.approx(64, rel=0.01)
    assert statistics.variance(squares.tolist()) == pytest.approx(128, rel=0.05)


def test_number_of_heads_leaves_the_parameters_alone() -> None:
    twelve = attention_parameters(d_model=768, num_heads=12)
    assert twelve == attention_parameters(d_model=768, num_heads=6) == 4 * 768 * 768


def test_formula_of_sharing_agrees_with_the_closed_form_for_every_query_head() -> None:
    assert [h * 8 // 64 for h in range(64)] == [
        kv_head_of(query_head=h, num_heads=64, num_kv_heads=8) for h in range(64)
    ]


def test_scale_column_confirms_the_models_that_do_not_divide_by_the_root() -> None:
    assert model("t5-11b").score_scale.startswith("1.0")
    assert "144" in GEMMA_2.score_scale
    assert GEMMA_2.d_head == 128
    assert "192" in DEEPSEEK.score_scale


_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_FACTOR = rf"{_NUMBER}(?:\^\d+)?"
_SIDE = rf"{_FACTOR}(?:\s*(?:×|//|/|\+)\s*{_FACTOR})*"
_EQUATION = re.compile(rf"(?<![\w.,/])(?<!\bof (?=\d+(?:,\d{{3}})* =)){_SIDE}(?:\s*=\s*{_SIDE})+")


def equations() -> list[tuple[str, str]]:
    """(file, equation) for everything of the form 768 = 10 × 76 + 8 in the topic and its cards."""
    files = sorted((FOLDER / "d-head").glob("*.md"))
    texts = {file.stem: file.read_text(encoding="utf-8") for file in files}
    texts = {name: text.replace("{,}", ",").replace("\\cdot", "×") for name, text in texts.items()}
    return [
        (name, " ".join(hit[0].split())) for name, text in texts.items() for hit in _EQUATION.finditer(text)
    ]


def _value(side: str) -> float:
    """Products and quotients from left to right, then sums."""
    terms = side.replace(",", "").replace("//", "÷").split("+")
    return sum(_product(re.split(r"([×/÷])", term)) for term in terms)


def _product(parts: list[str]) -> float:
    value = _power(parts[0])
    for sign, factor in zip(parts[1::2], map(_power, parts[2::2]), strict=True):
        value = {"×": value * factor, "/": value / factor, "÷": value // factor}[sign]
    return value


def _power(factor: str) -> float:
    base, _, exponent = factor.partition("^")
    return float(base) ** float(exponent or 1)


@pytest.mark.parametrize(("name", "equation"), equations())
def test_an_equation_in_the_content_holds(name: str, equation: str) -> None:
    sides = {_value(side) for side in equation.split("=")}
    assert len(sides) == 1, f"{name}: {equation}"


def test_the_content_is_full_of_equations() -> None:
    assert len(equations()) > 50
