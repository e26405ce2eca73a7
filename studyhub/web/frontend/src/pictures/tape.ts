/** The memory tape: storage in its order, the same head's runs, the traced offset. Knows no player. */
import { el } from "../dom";
import { extent, outerAxis, type Place, placeOf, runs } from "./memory";
import { inks, translucent } from "./palette";
import { type Element3, formOf, ownOf, type Sizes } from "./pieces";
import { Surface, type Text } from "./surface";
import type { Frame } from "./types";
import { count, tuple } from "./words";

const HEIGHT = 46;
const TAPE = { y: 6, h: 16 };

export interface Taped {
  frame: Frame;
  before: Frame | undefined;
  traced: Element3;
  sizes: Sizes;
}

export class Tape {
  readonly element: HTMLElement;
  private readonly words = el("p", { class: "split__words", "aria-live": "polite" });
  private readonly surface = new Surface("Memory in its order", () => this.draw());
  private taped: Taped | null = null;

  constructor() {
    this.element = el("div", { class: "split__memory" }, this.words, this.surface.element);
  }

  show(taped: Taped): void {
    this.taped = taped;
    this.words.replaceChildren(el("b", {}, "Memory"), " ", ...sentence(taped));
    this.draw();
  }

  draw(): void {
    const context = this.surface.begin(HEIGHT);
    if (!context || !this.taped) return;
    const { frame, traced, sizes } = this.taped;
    const [all, place] = [runs(frame, sizes), placeOf(frame, traced, sizes)];
    const scale = this.surface.width / extent(all);
    const paints = inks();
    const [ink, parted] = [
      paints.colour(formOf(frame) === "bars" ? "d-model" : "H"),
      scale * sizes.width > 3,
    ];
    for (const run of all) {
      const { group } = ownOf(frame, sizes);
      const whole = frame.step === "output" && run.t === traced.t;
      const same = whole || (run.h === traced.h - (traced.h % group) && cut(frame));
      context.fillStyle = translucent(ink, same ? 0.4 : 0.13);
      context.fillRect(
        run.start * scale,
        TAPE.y,
        Math.max(0.5, run.length * scale - (parted ? 1 : 0)),
        TAPE.h,
      );
    }
    context.fillStyle = paints.colour("ink");
    context.fillRect(Math.min(this.surface.width - 2, place.offset * scale - 1), TAPE.y - 5, 2.5, TAPE.h + 9);
    this.surface.write(labels(this.taped, place, scale, this.surface.width));
    this.surface.describe(`Memory: element at offset ${count(place.offset)} = ${place.sum}`);
  }

  dispose(): void {
    this.surface.dispose();
  }
}

/** True where a row is made of the heads' runs: not in x, in a latent, or after W_O mixed them. */
export const cut = (frame: Frame): boolean =>
  formOf(frame) !== "bars" || Boolean(frame.axes.at(-1)?.startsWith("H*"));

function labels({ frame, sizes }: Taped, place: Place, scale: number, across: number): Text[] {
  const y = TAPE.y + TAPE.h + 17;
  const mark = place.offset * scale;
  const text = `offset ${count(place.offset)}`;
  const right = mark + 8 + text.length * 8 > across;
  const [from, to] = right ? [mark - 8 - text.length * 8, mark] : [mark - 10, mark + 16 + text.length * 8];
  const offset: Text = {
    x: right ? mark - 6 : mark + 4,
    y,
    text,
    look: "mono strong",
    anchor: right ? "end" : "start",
  };
  return [...outerLabels(frame, sizes, scale, y).filter(({ x }) => x + 30 < from || x > to), offset];
}

/** "t 0", "t 1" where tokens lie one after the other, "h 0", "h 1" where heads do. */
function outerLabels(frame: Frame, sizes: Sizes, scale: number, y: number): Text[] {
  const axis = outerAxis(frame);
  const starts = new Map<number, number>();
  for (const run of runs(frame, sizes)) {
    const index = axis === "T" ? run.t : run.h;
    starts.set(index, Math.min(run.start, starts.get(index) ?? Number.POSITIVE_INFINITY));
  }
  let free = 0;
  return [...starts].flatMap(([index, start]) => {
    const x = start * scale;
    if (x < free) return [];
    free = x + 34;
    return [{ x, y, text: `${axis.toLowerCase()} ${index}`, look: `axis-${axis} strong` }];
  });
}

const code = (text: string) => el("span", { class: "mono" }, text);
const axis = (name: string, index: number) =>
  el("b", { class: `mono axis-${name}` }, `${name.toLowerCase()} ${index}`);

function named({ traced, frame, sizes }: Taped): (Node | string)[] {
  if (cut(frame)) return [axis("T", traced.t), ", ", axis("H", traced.h), ", ", axis("D", traced.d)];
  const row = frame.shape.at(-1) ?? 1;
  const feature = Math.min(row - 1, traced.h * sizes.width + traced.d);
  return [axis("T", traced.t), ", ", el("b", { class: "mono axis-d_model" }, `feature ${count(feature)}`)];
}

/** One sentence with the arithmetic: where the element lies now and whether it had to move. */
export function sentence(taped: Taped): (Node | string)[] {
  const { frame, before, traced, sizes } = taped;
  const now = placeOf(frame, traced, sizes);
  const at = code(`${now.sum} = ${count(now.offset)}`);
  const who = ["Element ", ...named(taped)];
  if (frame.step === "view")
    return [
      "No number moves. ",
      ...who,
      " stays at ",
      at,
      `; only the shape is read as ${tuple(frame.shape)}.`,
    ];
  if (frame.step === "transpose")
    return [
      "No number moves. ",
      ...who,
      " stays at ",
      at,
      "; H and T change places, two sizes with their strides.",
    ];
  if (frame.step === "merge" && before) {
    const was = placeOf(before, traced, sizes);
    if (was.offset === now.offset) return [...who, " is copied and lies at ", at, " again."];
    return ["Numbers are copied. ", ...who, ` moves from ${count(was.offset)} to `, at, "."];
  }
  if (frame.sentence) return [frame.sentence];
  return [...who, " is written at ", at, "."];
}
