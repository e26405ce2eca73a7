"""What a canvas shows, as a number of colours and a fingerprint of its pixels. Knows no picture."""

from playwright.sync_api import Locator

PIXELS = """canvas => {
    const copy = document.createElement("canvas");
    copy.width = canvas.width; copy.height = canvas.height;
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0);
    const words = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
    let hash = 2166136261;
    for (const word of words) hash = Math.imul(hash ^ word, 16777619);
    return [new Set(words).size, `${copy.width}x${copy.height}:${hash}`];
}"""


def drawn(canvas: Locator) -> tuple[int, str]:
    """(how many colours, a fingerprint) of a canvas's pixels: a blank one has one colour."""
    colours, print_ = canvas.evaluate(PIXELS)
    return int(colours), str(print_)
