"""The table's own words about scales are understood, all of them, and no others."""

from dataclasses import replace

import pytest

from attention_engine.attention import scale_of
from attention_engine.configs import all_models, model
from attention_engine.scales import exceptions, rule_of, yarn_mscale


def test_every_word_of_the_table_is_read_and_the_rules_are_counted() -> None:
    names = [rule_of(config).name for config in all_models()]
    counts = {name: names.count(name) for name in names}
    assert counts == {"sqrt": 103, "none": 7, "query_pre_attn_scalar": 2, "mla": 4}


@pytest.mark.parametrize(
    ("slug", "words"),
    [
        ("bert-base", "1/sqrt(64)"),
        ("t5-small", "no division"),
        ("gemma-2-27b", "1/sqrt(144)"),
        ("deepseek-v3-r1-671b", "1/sqrt(192) times 1.3689^2"),
    ],
)
def test_a_rule_reads_as_it_is_written(slug: str, words: str) -> None:
    assert str(rule_of(model(slug))) == words


def test_each_rule_is_the_scale_that_attention_multiplies_by() -> None:
    for config in all_models():
        rule = rule_of(config)
        scale = scale_of(
            rule.name, d_head=config.d_head, query_pre_attn_scalar=rule.root_of, mscale=rule.mscale
        )
        assert scale * rule.divisor == pytest.approx(1, rel=1e-12), config.slug


def test_a_context_that_is_not_lengthened_has_an_mscale_of_one() -> None:
    assert yarn_mscale(factor=1, mscale=0.707) == 1.0
    assert yarn_mscale(factor=40, mscale=1.0) == pytest.approx(1.36889, abs=1e-5)


def test_words_that_no_rule_reads_are_refused_by_name() -> None:
    odd = replace(model("bert-base"), score_scale="1/d_head")
    with pytest.raises(ValueError, match="scales its scores by '1/d_head'"):
        rule_of(odd)
    unknown = replace(model("deepseek-v3-r1-671b"), slug="another")
    with pytest.raises(ValueError, match="no mscale here; known: deepseek"):
        rule_of(unknown)


def test_exceptions_name_each_model_once_and_none_that_keeps_the_rule() -> None:
    told = exceptions(all_models())
    broken = [config.name for config in all_models() if rule_of(config).name != "sqrt"]
    named = [name for sentence in told for name in sentence.partition(":")[0].split(", ")]
    assert sorted(named) == sorted(broken)
    assert any("sqrt(144) = 12.00" in sentence and "d_head is 128" in sentence for sentence in told)
    assert exceptions([model("bert-base")]) == ()
