"""Cuts STIX Two Math down to the glyphs our formulas use, keeping MATH and GSUB. Run when glyphs are added.

In an environment with fonttools and brotli, after `npm pack @fontsource/stix-two-math` and unpacking it:
python subset_math_font.py package/files/stix-two-math-latin-400-normal.woff2
"""

import sys
from pathlib import Path

from fontTools import subset  # type: ignore[import-not-found]

TARGET = Path(__file__).parent.parent / "static" / "studyhub" / "fonts" / "stix-two-math.woff2"
RANGES = (
    (0x20, 0x7E),  # ASCII
    (0xA0, 0xFF),  # Latin-1: no-break space, plus-minus, multiplication sign, middle dot
    (0x0300, 0x0338),  # accents over and under, which stretch
    (0x0391, 0x03F6),  # Greek
    (0x2010, 0x2026),  # dashes, bullets, ellipsis
    (0x2032, 0x2034),  # primes
    (0x2061, 0x2064),  # invisible operators
    (0x20D0, 0x20EF),  # arrows over letters
    (0x2190, 0x2194),  # arrows
    (0x21A6, 0x21A6),
    (0x21D0, 0x21D4),
    (0x2200, 0x222B),  # quantifiers, sets, sums, roots, integrals
    (0x2243, 0x2243),
    (0x2248, 0x2248),
    (0x2260, 0x226B),  # relations
    (0x2282, 0x2287),
    (0x2295, 0x2299),  # circled operators
    (0x22A4, 0x22A5),
    (0x22C0, 0x22C6),
    (0x22EE, 0x22F1),  # dots
    (0x2308, 0x230B),  # ceiling and floor
    (0x23B4, 0x23B5),
    (0x23DC, 0x23E1),  # braces over and under
    (0x27E8, 0x27E9),  # angle brackets
    (0x2A02, 0x2A02),
)
LETTERS = "\u210e\u2102\u210b\u2112\u2115\u211d\u2124\u2016\u203e\u00af\u02c6\u02dc\u23de\u23df"
ITALIC = (0x1D434, 0x1D467)  # what MathML Core draws for a single-letter <mi>
BOLD = (0x1D400, 0x1D433)
SCRIPT_AND_DOUBLE = ((0x1D49C, 0x1D4CF), (0x1D538, 0x1D56B))
GREEK = (0x1D6A4, 0x1D71B)


def code_points() -> list[int]:
    """Every code point kept, in order."""
    ranges = (*RANGES, ITALIC, BOLD, *SCRIPT_AND_DOUBLE, GREEK)
    points = {point for first, last in ranges for point in range(first, last + 1)}
    return sorted(points | {ord(letter) for letter in LETTERS})


def main(source: str) -> None:
    """Writes the subset: glyph closure follows MATH (stretchy brackets, roots) and GSUB (`ssty`, `dtls`)."""
    options = subset.Options(
        flavor="woff2", layout_features=["ssty", "dtls", "flac", "ccmp", "mark", "mkmk", "kern"]
    )
    font = subset.load_font(source, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=code_points())
    subsetter.subset(font)
    subset.save_font(font, str(TARGET), options)


if __name__ == "__main__":
    main(sys.argv[1])
