/** Where the small maps of all heads stand: by layer, or one after another. Pure geometry. */

/** How many heads there are, how wide the drawing is, and whether they stand by layer. */
export interface Asked {
  layers: number;
  heads: number;
  across: number;
  byLayer: boolean;
}

export interface Arranged {
  /** Side of a cell with its gap, and the room under a map for words. */
  cell: number;
  words: number;
  /** Places that the arrow down leads on: a layer, or a row of the drawing. */
  down: number;
  /** Left upper corner of the map at a place of the order. */
  at(place: number): { x: number; y: number };
  /** Left edges of the blocks of layers, and how many layers each holds; one without names where sorted. */
  blocks: readonly { x: number; first: number; layers: number }[];
  /** Rows of the drawing that one layer takes. */
  wrap: number;
  height: number;
}

export const GAP = 4;
const LEFT = 30;
const TOP = 20;
const BETWEEN = 20;
/** No map is smaller, and beside each other blocks of layers are set while the drawing is taller than this. */
const LEAST = 30;
const TALL = 760;
const MOST_CELL = 96;
/** From these sizes up a word, or a name over a number, stands under a map. */
export const WORDED = 54;
const SORTED_LEAST = 46;

export const arranged = (asked: Asked): Arranged => (asked.byLayer ? byLayer(asked) : inOrder(asked));

interface Shape {
  blocks: number;
  wrap: number;
  cell: number;
  height: number;
}

function shaped({ layers, heads, across }: Asked, blocks: number, wrap: number): Shape {
  const columns = Math.ceil(heads / wrap);
  const room = across - blocks * LEFT - (blocks - 1) * BETWEEN;
  const cell = Math.min(MOST_CELL, Math.floor(room / (blocks * columns)));
  const rows = Math.ceil(layers / blocks) * wrap;
  return { blocks, wrap, cell, height: TOP + rows * (cell + wordsUnder(cell)) };
}

const wordsUnder = (cell: number): number => (cell >= WORDED ? 18 : 0);

/** Layers wrapped where maps would be too small, set side by side where the drawing would be too tall. */
function chosen(asked: Asked): Shape {
  let best = shaped(asked, 1, 1);
  while (best.cell < LEAST && best.wrap < asked.heads) best = shaped(asked, 1, best.wrap + 1);
  for (let blocks = 2; best.height > TALL && blocks <= Math.min(4, asked.layers); blocks++) {
    const next = shaped(asked, blocks, 1);
    if (next.cell < LEAST) break;
    best = next;
  }
  return best;
}

function byLayer(asked: Asked): Arranged {
  const { blocks, wrap, cell, height } = chosen(asked);
  const columns = Math.ceil(asked.heads / wrap);
  const each = Math.ceil(asked.layers / blocks);
  const words = wordsUnder(cell);
  const left = (block: number) => LEFT + block * (columns * cell + LEFT + BETWEEN);
  const at = (place: number) => {
    const [layer, head] = [Math.floor(place / asked.heads), place % asked.heads];
    const row = (layer % each) * wrap + Math.floor(head / columns);
    return { x: left(Math.floor(layer / each)) + (head % columns) * cell, y: TOP + row * (cell + words) };
  };
  const list = Array.from({ length: blocks }, (_, n) => ({
    x: left(n),
    first: n * each,
    layers: Math.max(0, Math.min(each, asked.layers - n * each)),
  }));
  return { cell, words, down: asked.heads, at, blocks: list, wrap, height };
}

/** One after another in rows, each with its name and its number under it. */
function inOrder(asked: Asked): Arranged {
  const { layers, heads, across } = asked;
  const count = layers * heads;
  const wanted = Math.max(SORTED_LEAST, chosen(asked).cell);
  const columns = Math.max(1, Math.min(count, Math.floor(across / wanted)));
  const cell = Math.min(MOST_CELL, Math.floor(across / columns));
  const words = cell >= 72 ? 20 : 34;
  const at = (place: number) => ({
    x: (place % columns) * cell,
    y: Math.floor(place / columns) * (cell + words),
  });
  const height = Math.ceil(count / columns) * (cell + words);
  return { cell, words, down: columns, at, blocks: [], wrap: 1, height };
}

/** The place of the order under a point, -1 for none. */
export function placeUnder(arranged: Arranged, count: number, { x, y }: { x: number; y: number }): number {
  for (let place = 0; place < count; place++) {
    const corner = arranged.at(place);
    const [right, below] = [x - corner.x, y - corner.y];
    if (right >= 0 && right < arranged.cell && below >= 0 && below < arranged.cell + arranged.words)
      return place;
  }
  return -1;
}

/** The place an arrow leads to: beside it, or in the next row or layer; it stays where there is none. */
export function moved(place: number, key: string, count: number, { down }: { down: number }): number {
  const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: down, ArrowUp: -down }[key] ?? 0;
  const to = place + by;
  return to >= 0 && to < count ? to : place;
}
