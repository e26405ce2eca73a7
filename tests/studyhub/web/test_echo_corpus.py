"""What the service reads of many texts, as a file that the front end's own reader is held to.

The front end reads a part of this at once and asks for the rest; what it reads, it must read alike.

After a change of the grammar: `python tests/studyhub/web/test_echo_corpus.py` writes the file anew.
"""

import json
from pathlib import Path
from typing import Any

from cards.answering import accepted_names
from cards.expressions.numbers import read_number
from cards.expressions.shapes import read_shape
from cards.grading import Unreadable

CORPUS = Path(__file__).parents[3] / "studyhub/web/frontend/src/study/corpus.json"
SIZES = {"B": 2, "T": 4, "H": 12, "D": 64, "d_model": 768}
BARE = (
    "10|064|12.50|.5|5.|1,024|2,621,440|1_536|1 536|1\u00a0536|1\u202f536|1\u2009536|1 234 567",
    "64 128|1 2|1,53|0,5|0.5|12,345.5|1,2345|8e9|1e-3|1E3|1e400|1e1025|1e99999999|-3|+3|--3|−3|- 3",
    "2-3|64-128|3-|1e24|2^80|2^81|9^99|2^-1|2**3**2|2^3^2|-2^2|2^0.5|2^(1/2)|2^4096|2^9999|0^-1|0^0",
    "(1/3)^40|1/3|1/7|2/10001|1/2000003|10000001/3|(10^25)/3|1/(10^25)|1/0|768/5|768/12|4*16|4 x 16",
    "4X16|4×16|4·16|4∙16|4÷2|4∕2|2*80*8*128*2*131072|(3+5)*7|((3))|(3|3)|()|)|4*|*4|4 4|+|=|%|50%",
    "50%%|12.5 %|sqrt(64)|sqrt 64|√64|sqrt(2)|sqrt(-4)|sqrt(1/4)|sqrt|64k|64K|2 M|3G|7B|4T|8Ki",
    "1.5Mi|2 thousand|3 billion|2million|kk|2kk|64dims|12x|12 x|x12|0x10|0X2|ten|12 or so|alert(1)",
    "1;2|1:2|3²|2³|2⁻¹|2¹⁰|10³²|½|1½|¼|１２|１，０２４|１２＊３|٣٤|١٬٠٢٤|٣٫٥|५|𝟙𝟚|①|₂|12’345|12'345|１２＋３|d=64",
    "d_head = 64|foo=64|64=64|4*16=64|4*16=63|d_head=4*16=64|=64|64=|ℯ|π|1\u200b2|1\t024|12\u3000",
    "\u201364|1/2/3|1-2-3|2+3-4|2--3|2+-3|2*-3|-(-3)|+-3|1e|1e+|1.2.3|..|1,000,000.25|1,000 000",
    "1 000,000|NaN|inf|1e308|1e309|10^1000|10^-400|0|-0|00|000,123|2**|^2|2^^3|1_|_1|toString",
    "constructor",
    "100%%|1½|64½|2½%|½½|1.5½|1(1/2)|4√5|sqrt4√4|2*3√4|1/2√2|2^4√5|(4)√5|12%√4|2^3.5|2^(7/2)|4^1.5|2^0.3",
    r"(-2)^1.5|0^-0.5|12,5|\frac{768}{12}|\frac12|2^{6}|\sqrt{4096}|768 \div 12|\text{64}|$64$|\(64\)",
    r"12{,}288|12\,288|\frac{1}{2}^{2}|\foo{3}|\frac{768}|\sqrt4096|$64|{64}",
)
UNITS = {
    "dims": (
        "64 dims",
        "64 dim",
        "64 features",
        "64 heads",
        "64 numbers",
        "64D",
        "64 Dims",
        "d = 64",
        "dims=64",
        "0 heads",
        "2.5 GiB",
        "768/12 heads",
        "64 bananas",
        "64 h",
        "8 s",
        "64 dims per head",
    ),
    "s": ("2 s", "2 ms", "2 us", "2 min", "2 h", "2"),
    "FLOP": ("5 GFLOPs", "5 FLOP", "5 G", "5"),
    "heads": ("12 heads", "12 head", "12H", "12 layers", "heads = 12", "12 heads heads", "4 heads * 2"),
    "tokens": ("4T", "4 T", "4 tokens", "4k tokens", "4K", "tokens=4", "4 token"),
    "bytes": (
        "8B",
        "8 B",
        "8G",
        "8 GB",
        "8GiB",
        "8 bytes",
        "1 kB",
        "1KB",
        "1.5 MiB",
        "8b",
        "8 tokens",
        "8 k",
        "8 bits",
        "1 Kbit",
        "1 Kibit",
        "1 megabyte",
        "8 Gb",
        "8 mb",
    ),
    "GiB": ("8 gib", "8B", "8G", "8 GiB", "8 GB", "8 TiB", "1024 MiB", "8 bytes", "2.5"),
    "numbers per head": (
        "64 numbers per head",
        "64 per head",
        "64 numbers/head",
        "64 numbers",
        "64 dims per head",
    ),
    "bytes per token": (
        "8 bytes per token",
        "8 KiB/token",
        "8 KiB per token",
        "8 KiB per head",
        "8 B/token",
        "8T",
    ),
}
NAMED = (
    "d_head = 64",
    "d_k = 64",
    "D=64",
    "dk=64",
    "hs: 64",
    "H = 64",
    "foo=64",
    "d_head=",
    "d_head 64",
    "d_head",
)
SHAPES = (
    "2,12,4,64|(2, 12, 4, 64)|[2 12 4 64]|[2,12,4,64]|{2,3}|<2,3>|2x12x4x64|2 x 12 x 4|2×12×4|2X3",
    "(2x3)|((2,3))|torch.Size([2, 12, 4, 64])|Size([2,3])|torch.size([2,3])|Size 2,3",
    "x.shape = (2, 3)|shape: 2,3|(64,)|64,|64|(64)|2;3|2;3;|2,,3|,2|2x|x2x3|(3,7,192|3,7,192)",
    "(3,7],192|[(2,3)|(2),(3)|99999999999,1,1,1|2147483647|2147483648|2, 0, 4|2, -1|2.5, 4",
    "12 or so!|2, 012|012|00|2,1,024|2, 1,024|1,024|1,024, 3|2,12,4,64,1,1,1,1|1,1,1,1,1,1,1,1,1",
    "B, T, H*D|B,T,HD|B, T, hd|B,T,Hd|B,T,DH|BT|HD|HD,|BTH|B T H|BxHxTxD|B×H×T×D|(B, H, T, d_head)",
    "batch, tokens, d_model|b,t,c|b, n, e|B,T,foo|B,S|B,L,E|nh,hs|B*H, T|B·H,T|(B*H), T|768/12",
    "768/5, 2|H*D/12, 3|768//12, 2|6*2,4|6*2|6x2,4|2,3/|*2,3|2 3*4|2*3 4|2**3,4|２,１２|２，１２|（2, 3）",
    "2 ,3|  2,3  |\u00a02,3|2\t3|2\n3|[]|()|,|x|é,2|d_h,T|D, d_k|2,constructor|65536*65536,2|T_q,T",
    "B, T,|B T,H|1x1x1x1x1x1x1x1x1",
)


class _Version:
    """As much of a card's version as its accepted names need."""

    def __init__(self, answer_type: str, **answer: Any) -> None:
        self.answer_type, self.answer, self.mistakes, self.parameters = answer_type, answer, [], {}


def texts_of(lines: tuple[str, ...]) -> list[str]:
    """Texts written several to a line, with | between them."""
    return [text for line in lines for text in line.split("|")]


def number_row(text: str, unit: str = "", names: tuple[str, ...] = ()) -> dict[str, Any]:
    """One text with the service's reading; "" where it cannot be read."""
    try:
        read_as = read_number(text, unit, names).read_as
    except Unreadable:
        read_as = ""
    return {"text": text, "unit": unit, "names": list(names), "read_as": read_as}


def shape_row(text: str, sizes: dict[str, int]) -> dict[str, Any]:
    """The same of a shape, without what the named axes come to: only the service knows their sizes."""
    try:
        read_as = read_shape(text, sizes).read_as.partition(" = ")[0]
    except Unreadable:
        read_as = ""
    return {"text": text, "names": list(sizes), "read_as": read_as}


def corpus() -> dict[str, list[dict[str, Any]]]:
    """All rows."""
    numbers = [number_row(text) for text in texts_of(BARE)]
    numbers += [number_row(text, unit) for unit, texts in UNITS.items() for text in texts]
    numbers += [number_row(text, "", ("d_head",)) for text in NAMED]
    shapes = [shape_row(text, sizes) for text in texts_of(SHAPES) for sizes in ({}, SIZES)]
    shapes += [shape_row(text, {"B": 2, "T": 4, "S": 9}) for text in ("B,T,s", "B, T, S", "B,T,t_k", "B,T,H")]
    return {"numbers": numbers, "shapes": shapes}


def written(rows: dict[str, list[dict[str, Any]]]) -> str:
    """The file's text."""
    return json.dumps(rows, ensure_ascii=True, separators=(",", ":")).replace('{"text"', '\n{"text"') + "\n"


def test_the_front_end_is_held_to_what_the_service_reads_now() -> None:
    stale = f"{CORPUS.name} is stale: run python {Path(__file__).name}"
    assert json.loads(CORPUS.read_text()) == corpus(), stale


def test_the_corpus_has_texts_of_both_fates() -> None:
    for rows in corpus().values():
        read = sum(bool(row["read_as"]) for row in rows)
        assert 40 < read < len(rows) - 40


def test_the_names_an_answer_may_use_are_told_without_their_sizes() -> None:
    number = _Version("numeric", key={"compute": "d_head", "model": "bert-base"}, names=["width"])
    assert accepted_names(number) == ["width", "d_head"]
    sizes = {"batch": 2, "tokens": 4, "num_heads": 12, "d_head": 64}
    shape = _Version("shape", key={"compute": "shape_after", "step": "transpose", **sizes})
    assert accepted_names(shape) == ["B", "T", "H", "D", "d_model"]
    assert accepted_names(_Version("reveal", rubric=["a point"])) == []


if __name__ == "__main__":
    CORPUS.write_text(written(corpus()))
