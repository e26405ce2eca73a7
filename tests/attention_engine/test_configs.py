import csv
from importlib.resources import files

import pytest

from attention_engine.configs import UnknownModel, all_models, model, slug_of


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("BERT-base", "bert-base"),
        ("GPT-2 small", "gpt-2-small"),
        ("GPT-3 175B", "gpt-3-175b"),
        ("T5 v1.1 small / Flan-T5-small", "t5-v1.1-small-flan-t5-small"),
        ("Transformer base (Vaswani 2017)", "transformer-base-vaswani-2017"),
    ],
)
def test_a_slug_is_the_name_in_lower_case_with_hyphens(name: str, slug: str) -> None:
    assert slug_of(name) == slug


def test_every_line_of_the_table_has_its_own_slug_a_source_a_status_and_a_date() -> None:
    models = all_models()
    assert len(models) == len({config.slug for config in models}) == 116
    assert all(config.source and config.status and config.as_of == "2026-11-30" for config in models)


def test_llama_3_70b_carries_its_eight_kv_heads() -> None:
    config = model("llama-3-70b")
    assert (config.d_model, config.num_heads, config.num_kv_heads, config.d_head) == (8192, 64, 8, 128)
    assert (config.layers, config.vocab) == (80, 128256)


def test_latent_attention_caches_one_latent_and_one_rotary_key_for_all_heads() -> None:
    latent = {config.slug: (config.kv_rank, config.d_head_rope) for config in all_models() if config.kv_rank}
    assert latent == {
        "mistral-small-4-119b-2603": (256, 64),
        **dict.fromkeys(
            (
                "deepseek-v2-lite-16b",
                "deepseek-v2-236b",
                "deepseek-v3-r1-671b",
                "deepseek-v3.2-exp",
                "kimi-k2",
                "glm-5",
            ),
            (512, 64),
        ),
    }
    assert [config.slug for config in all_models() if config.attention.startswith("MLA")] == list(latent)
    assert all(config.d_head_rope < config.d_head for config in all_models())


def test_an_unknown_model_is_refused_with_close_slugs() -> None:
    with pytest.raises(UnknownModel, match=r"bert-base, bert-large"):
        model("bert")


def test_the_quotients_and_products_of_the_table_are_those_of_its_numbers() -> None:
    with files("attention_engine").joinpath("model_configs.csv").open(encoding="utf-8", newline="") as table:
        for row, config in zip(csv.DictReader(table), all_models(), strict=True):
            inner = config.num_heads * config.d_head
            assert int(row["n_heads_x_d_head_qk"]) == inner, config.slug
            assert float(row["d_model_div_n_heads"]) == pytest.approx(
                config.d_model / config.num_heads, abs=0.005
            )
            holds = config.d_model == config.d_head * config.num_heads
            assert row["rule_holds"] == ("yes" if holds else "NO"), config.slug
