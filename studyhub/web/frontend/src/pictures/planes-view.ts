/** Draws a tensor as planes of lines in the colours of its axes, one number traced. Knows no memory. */
import { el } from "../dom";
import { type Inks, inks, onThemeChange, translucent } from "./palette";
import { indexUnder, type Planes, planesOf } from "./planes";
import { type Layout, placeAt } from "./storage";
import { type Run, Surface, type Text } from "./surface";
import { axisClass, count } from "./words";

const FOLLOWED = 16;

export interface Shown {
  layout: Layout;
  index: readonly number[];
  ink: string;
  /** Tensors of the other steps: room is made for the highest, so that nothing below moves. */
  others: readonly Layout[];
}

export class PlanesView {
  readonly element: HTMLElement;
  private readonly surface = new Surface("The tensor", () => this.draw());
  private readonly unwatch = onThemeChange(() => this.draw());
  private shown: Shown | null = null;

  constructor(private readonly pointed: (index: number[]) => void) {
    this.element = el("div", { class: "tape__planes" }, this.surface.element);
    this.surface.canvas.tabIndex = 0;
    this.surface.canvas.dataset.arrows = "";
    for (const name of ["pointermove", "pointerdown"] as const)
      this.surface.canvas.addEventListener(name, (event) => this.follow(event));
  }

  show(shown: Shown): void {
    this.shown = shown;
    this.draw();
  }

  /** Arrows walk the last axis and the lines, with Shift the planes and what stands behind. */
  key(event: KeyboardEvent): boolean {
    const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const across = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const by = along ?? across;
    if (!by || !this.shown) return false;
    const { roles } = planesOf(this.shown.layout, this.shown.index, this.surface.width);
    const plain = along ? roles.along : roles.lines;
    const shifted = along ? roles.planes : (roles.behind.at(-1) ?? -1);
    const axis = event.shiftKey ? shifted : plain;
    const size = this.shown.layout.shape[axis] ?? 0;
    const index = [...this.shown.index];
    if (axis < 0 || size === 0) return true;
    index[axis] = Math.max(0, Math.min(size - 1, (index[axis] ?? 0) + by));
    this.pointed(index);
    return true;
  }

  dispose(): void {
    this.unwatch();
    this.surface.dispose();
  }

  private follow(event: PointerEvent): void {
    if (!this.shown) return;
    const { layout, index } = this.shown;
    const found = indexUnder(
      planesOf(layout, index, this.surface.width),
      layout,
      index,
      this.surface.place(event),
    );
    if (found && String(found) !== String(index)) this.pointed(found);
  }

  private draw(): void {
    const { shown } = this;
    const across = this.surface.across || 400;
    const heights = (shown?.others ?? []).map((layout) => planesOf(layout, [], across).height);
    const context = this.surface.begin(Math.max(60, ...heights));
    if (!context || !shown) return;
    const drawn = planesOf(shown.layout, shown.index, across);
    const paints = inks();
    for (const plane of drawn.planes)
      for (const [n, line] of drawn.lines.entries())
        this.line(context, { x: plane.x, y: plane.y + n * drawn.line.h }, [plane.at, line], {
          drawn,
          paints,
          shown,
        });
    this.surface.write(texts(drawn, shown));
    this.surface.describe(`The tensor (${shown.layout.shape.join(", ")}), index (${shown.index.join(", ")})`);
  }

  private line(
    context: CanvasRenderingContext2D,
    { x, y }: { x: number; y: number },
    [plane, line]: readonly [number, number],
    { drawn, paints, shown }: { drawn: Planes; paints: Inks; shown: Shown },
  ): void {
    const { roles, line: size } = drawn;
    const { layout, index } = shown;
    const own = roles.planes < 0 || index[roles.planes] === plane;
    const traced = own && (roles.lines < 0 || index[roles.lines] === line);
    const ink = paints.colour(shown.ink);
    context.fillStyle = translucent(ink, own && roles.planes >= 0 ? 0.28 : 0.13);
    context.fillRect(x, y, size.w, size.h - 1.5);
    const long = layout.shape[roles.along] ?? 1;
    const step = size.w / long;
    const here = [...index];
    if (roles.planes >= 0) here[roles.planes] = plane;
    if (roles.lines >= 0) here[roles.lines] = line;
    here[roles.along] = 0;
    const [from, begins] = [placeAt(layout.shape, index), placeAt(layout.shape, here)];
    const [first, last] = [Math.max(0, from - begins), Math.min(long, from + FOLLOWED - begins)];
    context.fillStyle = translucent(ink, 0.5);
    if (last > first) context.fillRect(x + first * step, y, (last - first) * step, size.h - 1.5);
    if (step >= 5) this.cuts(context, { x, y, step, long, h: size.h - 1.5 }, paints);
    if (!traced) return;
    context.fillStyle = ink;
    const w = Math.max(3, step - 1);
    context.fillRect(Math.min(x + size.w - w, x + (index[roles.along] ?? 0) * step), y, w, size.h - 1.5);
  }

  private cuts(
    context: CanvasRenderingContext2D,
    { x, y, step, long, h }: { x: number; y: number; step: number; long: number; h: number },
    paints: Inks,
  ): void {
    context.fillStyle = paints.colour("surface");
    for (let n = 1; n < long; n++) context.fillRect(x + n * step - 0.5, y, 1, h);
  }
}

/** "h 6", "t 2"; an axis without a letter keeps its name. */
export const placeName = (name: string, at: number): string =>
  /^[BTHD]$/.test(name) ? `${name.toLowerCase()} ${count(at)}` : `${name}: ${count(at)}`;

/** Beside a line there is room for a letter, not for a name. */
const shortName = (name: string, at: number): string => (name.length > 1 ? count(at) : placeName(name, at));

function texts(drawn: Planes, { layout, index }: Shown): Text[] {
  const { names, shape } = layout;
  const { roles, planes, lines, line } = drawn;
  const name = (axis: number) => names[axis] ?? "";
  const now = (axis: number, at: number) => `${axisClass(name(axis))}${index[axis] === at ? " strong" : ""}`;
  const room = line.w > 24 ? 1 : Math.ceil(24 / line.w);
  const over =
    roles.planes < 0 ? [] : planes.filter(({ at }, n) => n % room === 0 || at === index[roles.planes]);
  const heads = over.map(({ at, x, y }): Text => {
    const text = line.w < 34 ? count(at) : placeName(name(roles.planes), at);
    return { x, y: y - 5, text, look: now(roles.planes, at) };
  });
  const starts = planes.filter(({ x }) => x === planes[0]?.x);
  const beside = starts.flatMap(({ y }) =>
    lines
      .map(
        (at, n): Text => ({
          x: 0,
          y: y + n * line.h + line.h / 2 + 3,
          text: shortName(name(roles.lines), at),
          look: now(roles.lines, at),
        }),
      )
      .filter((_, n) => roles.lines >= 0 && (line.h >= 14 || lines[n] === index[roles.lines])),
  );
  const foot: Run[] = [];
  const tell = (axis: number, words: string) =>
    axis >= 0 &&
    foot.push({
      text: `${foot.length ? ", " : ""}${name(axis)}${name(axis).length > 1 ? ":" : ""} ${words}`,
      look: axisClass(name(axis)),
    });
  tell(roles.along, `${count(shape[roles.along] ?? 0)} along a line`);
  tell(roles.lines, ofAll(shape[roles.lines], lines.length, "down"));
  tell(roles.planes, ofAll(shape[roles.planes], planes.length, roles.bands ? "bands" : "planes"));
  for (const axis of roles.behind) tell(axis, `${index[axis] ?? 0} of ${count(shape[axis] ?? 1)}`);
  return [...heads, ...beside, { x: 0, y: drawn.height - 5, text: foot }];
}

const ofAll = (size = 1, drawn = 1, words = "") =>
  size > drawn ? `${drawn} of ${count(size)} ${words}` : `${count(size)} ${words}`;
