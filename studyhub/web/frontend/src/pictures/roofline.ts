/** Draws a sweep over head widths as it is measured: floors, rates and latencies by d_head, and the roofline. */
import { el } from "../dom";
import { FrameHead } from "./frame-head";
import { RoofChart } from "./roof-chart";
import type { Host, Place, Renderer, Scene, Spot } from "./scene";
import { Series } from "./series";
import type { Cell, Frame } from "./types";
import { number, plural } from "./words";

const ROOF = "roofline";
const PANELS = ["GFLOP/s", "latency ms", "score maps MiB"];

/** Columns that are lines of a chart, by their place in the table; the first is x. What was not measured at any
 * width is no line. */
export function charted({ table }: Pick<Frame, "table">): number[] {
  const drawn = (name: string, n: number) =>
    PANELS.some((panel) => name.startsWith(`${panel}, `)) &&
    table.rows.some((cells) => typeof cells[n] === "number");
  return table.columns.flatMap((name, n) => (n === 0 || drawn(name, n) ? [n] : []));
}

/** The frame with the columns that are drawn, so that a series can be made of it. */
function forSeries(frame: Frame): Frame {
  const kept = charted(frame);
  const pick = <T>(cells: readonly T[]): T[] => kept.flatMap((n) => (n in cells ? [cells[n] as T] : []));
  const { columns, rows } = frame.table;
  return { ...frame, table: { columns: pick(columns), rows: rows.map((cells) => pick<Cell>(cells)) } };
}

/** A place of this picture is [row, line] of the chart, and in the roofline [row] of its table. */
export class Roofline implements Renderer {
  readonly element: HTMLElement;
  private readonly head = new FrameHead();
  private readonly floors = el("dl", { class: "roofline__floors" });
  private readonly series: Series;
  private readonly roof: RoofChart;
  private readonly more = el("p", { class: "roofline__more note" });
  private readonly when = el("span", {});
  private readonly again: HTMLButtonElement;
  private readonly made = new Map<Frame, Frame>();
  private scene: Scene | null = null;

  constructor(private readonly host: Host) {
    this.series = new Series({
      retry: (changes) => host.retry(changes),
      point: (place) => this.pointed(place),
      goTo: (step) => host.goTo?.(step),
    });
    this.roof = new RoofChart((row) => this.host.point([row]));
    const onclick = () => this.measureAgain();
    const look = { type: "button", class: "button button--small", "data-unexported": true, onclick };
    this.again = el("button", look, "Measure again");
    const foot = el("p", { class: "roofline__when note" }, this.when, " ", this.again);
    this.element = el(
      "div",
      { class: "roofline" },
      this.head.element,
      this.floors,
      this.series.element,
      this.roof.element,
      this.more,
      foot,
    );
  }

  show(scene: Scene): void {
    const frame = scene.frames[scene.at];
    if (!frame) return;
    this.scene = scene;
    this.head.show(frame);
    this.when.textContent = measuredAt(frame);
    const drawn = frame.layout === "text" ? "floors" : frame.step === ROOF ? "roof" : "series";
    this.floors.hidden = drawn !== "floors";
    this.series.element.hidden = drawn !== "series";
    this.roof.element.hidden = drawn === "series";
    const row = scene.place?.[0] ?? -1;
    this.tell(drawn === "series" ? row : -1);
    if (drawn === "floors") this.showFloors(frame);
    else if (drawn === "roof") this.roof.show(frame, row);
    else this.series.show(this.asSeries(scene));
  }

  point(place: Place): void {
    if (this.frame?.layout === "text") return;
    if (this.step === ROOF) this.roof.point(place[0] ?? -1);
    else this.series.point(place);
    this.tell(this.step === ROOF ? -1 : (place[0] ?? -1));
  }

  key(event: KeyboardEvent): boolean {
    if (this.frame?.layout === "text") return false;
    return this.step === ROOF ? this.roof.key(event) : this.series.key(event);
  }

  inTable([row, line]: Place, frame: Frame): Spot | null | undefined {
    if (row === undefined || row < 0 || row >= frame.table.rows.length) return null;
    if (frame.step === ROOF) return { row, column: 3 };
    if (frame.layout === "text") return { row };
    const column = line === undefined ? undefined : charted(frame)[line + 1];
    return column === undefined ? { row } : { row, column };
  }

  ofTable({ row, column }: Spot, frame: Frame): Place | null | undefined {
    if (frame.step === ROOF) return [row];
    const line = column === undefined ? -1 : charted(frame).indexOf(column) - 1;
    return line < 0 ? [row] : [row, line];
  }

  dispose(): void {
    this.series.dispose();
    this.roof.dispose();
  }

  private get frame(): Frame | undefined {
    return this.scene?.frames[this.scene.at];
  }

  private get step(): string {
    return this.frame?.step ?? "";
  }

  private pointed(place: Place): void {
    this.tell(place[0] ?? -1);
    this.host.point(place);
  }

  /** Frames for the series are made once each, for it takes another frame for another step. */
  private asSeries(scene: Scene): Scene {
    const frames = scene.frames.map((frame) => {
      const made = this.made.get(frame) ?? forSeries(frame);
      this.made.set(frame, made);
      return made;
    });
    return { ...scene, frames };
  }

  /** What the table knows of a width beside its lines: heads, kernel, and how wide that runs it. */
  private tell(row: number): void {
    const cells = this.frame?.table.rows[row];
    const at = (name: string) => cells?.[this.frame?.table.columns.indexOf(name) ?? -1];
    const heads = Number(at("heads"));
    this.more.textContent = cells
      ? `${number(heads)} head${heads === 1 ? "" : "s"}; SDPA kernel: ${at("SDPA kernel")}; padding: ${at("padded to")}.`
      : "";
  }

  /** The floors as figures, and the roof they make, before a point stands under it. */
  private showFloors(frame: Frame): void {
    this.floors.replaceChildren(...frame.table.rows.flatMap(floor));
    const rows = frame.table.rows.map(([name, value]): Cell[] => [name ?? "", "", "", value ?? 0]);
    this.roof.show({ ...frame, table: { columns: [], rows } }, -1);
  }

  private measureAgain(): void {
    this.again.disabled = true;
    window.setTimeout(() => {
      this.again.disabled = false;
    }, 2000);
    this.host.retry({ again: (Number(this.scene?.parameters.again ?? 0) || 0) + 1 });
  }
}

const floor = ([name, value, unit]: Cell[]): HTMLElement[] => [
  el("dt", {}, String(name ?? "")),
  el("dd", {}, el("b", {}, number(Number(value))), ` ${unit ?? ""}`),
];

/** "Measured at 12:31 on 1 December 2026 on CPU, AMD EPYC 9B14, 1 thread. Kept for an hour." */
export function measuredAt({ stamp }: Pick<Frame, "stamp">): string {
  const time = new Date(String(stamp.measured ?? ""));
  if (Number.isNaN(time.getTime())) return "";
  const clock = time.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const day = time.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  const threads = Number(stamp.threads ?? 1);
  const on = [
    stamp.device,
    stamp.device === "CPU" && stamp.processor,
    stamp.device === "CPU" && plural(threads, "thread"),
  ];
  return `Measured at ${clock} on ${day} on ${on.filter(Boolean).join(", ")}. Numbers are kept for an hour.`;
}
