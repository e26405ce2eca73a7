/** Draws cells of heads and tokens, each with the piece it really holds; pieces move home. Knows no line of code. */
import { el, still } from "../dom";
import { type Cells, type Held, home, inPlace } from "./misplaced";
import { type Inks, inks, onThemeChange, translucent } from "./palette";
import { Surface, type Text } from "./surface";

const LEFT = 40;
const TOP = 22;
const TALLEST = 30;
const MOST_HIGH = 384;
const STEP_MS = 600;
/** Cells carry their piece from this size up. */
const NAMED = 28;
const ease = (share: number) => (share < 0.5 ? 4 * share ** 3 : 1 - (-2 * share + 2) ** 3 / 2);

interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** The size of a cell: never higher than wide where it is small, and all of them in one screen. */
export function cellSize({ heads, tokens }: Cells, across: number): { w: number; h: number } {
  const w = Math.min(96, (across - LEFT - 2) / tokens);
  return { w, h: Math.max(4, Math.min(TALLEST, w, MOST_HIGH / heads)) };
}

export class CellGrid {
  readonly element: HTMLElement;
  private readonly surface: Surface;
  private readonly unwatch = onThemeChange(() => this.draw());
  private cells: Cells | null = null;
  private fixed = false;
  private started = 0;
  private beat = 0;
  private at = -1;

  constructor(
    private readonly label: string,
    private readonly pointed: (cell: number) => void,
  ) {
    this.surface = new Surface(label, () => this.draw());
    this.element = el("div", { class: "silent__grid" }, this.surface.element);
    this.surface.canvas.tabIndex = 0;
    this.surface.canvas.dataset.arrows = "";
    for (const name of ["pointermove", "pointerdown"] as const)
      this.surface.canvas.addEventListener(name, (event) => this.follow(event));
  }

  /** Draws these cells, their pieces where they stand or, `fixed`, where they belong; moving is seen if asked for. */
  show(cells: Cells, fixed: boolean, moving: boolean): void {
    const moves = moving && fixed !== this.fixed && !still();
    this.cells = cells;
    this.fixed = fixed;
    this.started = moves ? performance.now() : 0;
    this.animate();
  }

  select(cell: number): void {
    this.at = cell;
    if (this.started === 0) this.draw();
  }

  dispose(): void {
    cancelAnimationFrame(this.beat);
    this.unwatch();
    this.surface.dispose();
  }

  private animate(): void {
    cancelAnimationFrame(this.beat);
    if (this.started > 0 && performance.now() - this.started > STEP_MS) this.started = 0;
    this.draw();
    if (this.started > 0) this.beat = requestAnimationFrame(() => this.animate());
  }

  /** How far home the pieces are. */
  private get share(): number {
    if (this.started === 0) return this.fixed ? 1 : 0;
    const share = ease(Math.min(1, (performance.now() - this.started) / STEP_MS));
    return this.fixed ? share : 1 - share;
  }

  private box(cells: Cells, n: number): Box {
    const { w, h } = cellSize(cells, this.surface.width);
    const gap = Math.min(2, h / 6, w / 6);
    const [token, head] = [n % cells.tokens, Math.floor(n / cells.tokens)];
    return { x: LEFT + token * w, y: TOP + head * h, w: w - gap, h: h - gap };
  }

  private follow(event: PointerEvent): void {
    const { cells } = this;
    if (!cells) return;
    const { w, h } = cellSize(cells, this.surface.width);
    const { x, y } = this.surface.place(event);
    const [token, head] = [Math.floor((x - LEFT) / w), Math.floor((y - TOP) / h)];
    const inside = token >= 0 && token < cells.tokens && head >= 0 && head < cells.heads;
    const cell = head * cells.tokens + token;
    if (inside && cell !== this.at) this.pointed(cell);
  }

  private draw(): void {
    const { cells } = this;
    const height = cells ? TOP + cells.heads * cellSize(cells, this.surface.across || 400).h : 60;
    const context = this.surface.begin(height + 4);
    if (!context || !cells) return;
    const [paints, share] = [inks(), this.share];
    const whole = (n: number, cell: Held, alpha: number, box: Box) => {
      context.globalAlpha = alpha;
      this.piece(context, cell, box, {
        paints,
        heads: cells.heads,
        marked: share < 0.5 && !inPlace(cells, n),
      });
      context.globalAlpha = 1;
    };
    cells.held.forEach((cell, n) => {
      const [to, from] = [home(cells, n), this.box(cells, n)];
      if (share < 1 || to >= 0)
        whole(n, cell, to < 0 ? 1 - share : 1, to < 0 ? from : between(from, this.box(cells, to), share));
    });
    const come = new Set(cells.held.map((_, n) => home(cells, n)));
    if (share > 0)
      cells.held.forEach((_, n) => {
        const own = { token: n % cells.tokens, head: Math.floor(n / cells.tokens), parts: 1 };
        if (!come.has(n)) whole(n, own, share, this.box(cells, n));
      });
    this.point(context, cells, paints);
    this.surface.write(this.names(cells));
    this.surface.describe(`${this.label}: ${cells.heads} heads down, ${cells.tokens} tokens across`);
  }

  private piece(
    context: CanvasRenderingContext2D,
    { token, head, parts }: Held,
    { x, y, w, h }: Box,
    { paints, heads, marked }: { paints: Inks; heads: number; marked: boolean },
  ): void {
    const ink = paints.colour("H");
    const tint = (at: number) => translucent(ink, 0.08 + (0.4 * at) / Math.max(1, heads - 1));
    const stripes = Math.min(parts, Math.max(1, Math.floor(w / 3)));
    context.fillStyle = paints.colour("surface");
    context.fillRect(x, y, w, h);
    for (let n = 0; n < stripes; n++) {
      context.fillStyle = tint(parts > 1 ? (n * (heads - 1)) / stripes : head);
      context.fillRect(x + (n * w) / stripes, y, w / stripes, h);
    }
    if (marked) cross(context, { x, y, w, h }, paints.colour("incorrect"));
    const [first, second] = [`t ${token}`, parts > 1 ? `${parts} heads` : `h ${head}`];
    context.font = "500 11px JetBrains Mono Variable, monospace";
    context.textBaseline = "middle";
    context.textAlign = "center";
    context.fillStyle = paints.colour("ink");
    const line = `${first}, ${second}`;
    const spare = marked ? 12 : 4;
    if (h >= 16 && w - spare >= line.length * 6.7)
      context.fillText(line, x + (w - spare + 4) / 2, y + h / 2 + 1);
    else if (h >= NAMED - 2 && w >= NAMED - 2 && w >= second.length * 6.7) {
      context.fillText(first, x + w / 2, y + h / 2 - 5);
      context.fillText(second, x + w / 2, y + h / 2 + 7);
    }
  }

  /** The cell pointed at, and, dashed, the one in which its piece belongs. */
  private point(context: CanvasRenderingContext2D, cells: Cells, paints: Inks): void {
    if (this.at < 0 || this.started > 0) return;
    context.strokeStyle = paints.colour("accent");
    context.lineWidth = 2.5;
    const { x, y, w, h } = this.box(cells, this.at);
    context.strokeRect(x, y, w, h);
    const to = this.fixed ? -1 : home(cells, this.at);
    if (to < 0 || to === this.at) return;
    const there = this.box(cells, to);
    context.setLineDash([4, 3]);
    context.strokeRect(there.x, there.y, there.w, there.h);
    context.setLineDash([]);
  }

  private names(cells: Cells): Text[] {
    const { w, h } = cellSize(cells, this.surface.width);
    const [across, down] = [Math.ceil(30 / w), Math.ceil(14 / h)];
    const now = (own: boolean) => (own ? " strong" : "");
    const tokens = Array.from({ length: cells.tokens }, (_, t): Text => {
      const look = `axis-T${now(t === this.at % cells.tokens && this.at >= 0)}`;
      return { x: LEFT + (t + 0.5) * w - 1, y: 13, text: `t ${t}`, look, anchor: "middle" };
    });
    const heads = Array.from({ length: cells.heads }, (_, n): Text => {
      const look = `axis-H${now(n === Math.floor(this.at / cells.tokens))}`;
      return { x: LEFT - 8, y: TOP + (n + 0.5) * h + 3, text: `h ${n}`, look, anchor: "end" };
    });
    return [...tokens.filter((_, t) => t % across === 0), ...heads.filter((_, n) => n % down === 0)];
  }
}

const between = (from: Box, to: Box, share: number): Box => ({
  ...from,
  x: from.x + (to.x - from.x) * share,
  y: from.y + (to.y - from.y) * share,
});

/** What stands in another place: an edge, and a cross where there is room for one; of a flat cell one bar at its end. */
function cross(context: CanvasRenderingContext2D, { x, y, w, h }: Box, colour: string): void {
  if (h < 10 || w < 10) {
    context.fillStyle = colour;
    context.fillRect(x + w - Math.min(4, w / 3), y, Math.min(4, w / 3), h);
    return;
  }
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
  const size = Math.min(6, w - 4, h - 4);
  const [left, top] = [x + w - size - 3, y + 3];
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(left, top);
  context.lineTo(left + size, top + size);
  if (h >= 16) {
    context.moveTo(left + size, top);
    context.lineTo(left, top + size);
  }
  context.stroke();
}
