"""saturation in words: the spread of scores before and after the divisor."""

from studyhub.web.plain.saying import Facts, Plain, whose

QUESTION = "Why is a score divided?"
EDITS = "d_head keys temperature_percent divisor"


def title(facts: Facts, role: str) -> str:
    """Width of a head and divisor."""
    divided = "undivided" if facts["divisor"] == "none" else f"divided by {facts['divisor_value']}"
    return f"Scores of heads of {facts['d_head']}, {divided}{whose(role)}"


def plain(facts: Facts) -> Plain:
    """The spread before and after the divisor, the usual one, and who divides otherwise."""
    divided = "undivided" if facts["divisor"] == "none" else f"divided by {facts['divisor_value']}"
    score = (
        f"A score is a sum of {facts['d_head']:,} products. Where they are independent, of variance 1, its"
    )
    spread = f"standard deviation is {facts['std_before']}; {divided}, it is {facts['std_after']}."
    usual = "" if facts["works"] else f" The right divisor here is {facts['right_divisor']}."
    entropy = f" Over {facts['keys']:,} keys the entropy is at most {facts['max_entropy']} nats."
    title = "Models that divide otherwise" if facts["exceptions"] else ""
    told = f"{score} {spread}{usual}{entropy} The rule: {facts['scale_rule']}."
    return Plain(told, None, title, tuple(map(str, facts["exceptions"])))
