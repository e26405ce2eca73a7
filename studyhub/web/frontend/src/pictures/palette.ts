/** Colours as numbers: the heat scale and the axis colours of the page's theme. Knows no picture. */

export type Theme = "light" | "dark";

/** Nine stops, even steps in CAM02-UCS; "more" leaves the ground. Used where the page sets no --heat-N. */
export const HEAT: Record<Theme, readonly string[]> = {
  light: ["#FFFFFF", "#D2E9E0", "#A7CDCE", "#7FB2C3", "#5A97BA", "#3A7AB0", "#255CA1", "#213C89", "#201B68"],
  dark: ["#1D1F25", "#202B50", "#20487B", "#2F6886", "#48858B", "#63A18F", "#87BF90", "#BCDB94", "#FCEEA6"],
};

export type Rgb = readonly [number, number, number];

export function rgb(colour: string): Rgb {
  const hex = colour.trim().replace("#", "");
  const full = hex.length === 3 ? [...hex].map((digit) => digit + digit).join("") : hex;
  const number = Number.parseInt(full.slice(0, 6), 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

const linear = (byte: number) => {
  const c = byte / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
};
const byte = (c: number) => {
  const value = c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055;
  return Math.round(255 * Math.min(1, Math.max(0, value)));
};

/** sRGB bytes -> Oklab (Ottosson 2020). */
export function oklab([red, green, blue]: Rgb): [number, number, number] {
  const [r, g, b] = [linear(red), linear(green), linear(blue)];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromOklab([light, a, b]: readonly [number, number, number]): Rgb {
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    byte(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/** 256 colours through the stops, mixed in Oklab: [r, g, b] triples one after the other. */
export function ramp(stops: readonly string[]): Uint8ClampedArray {
  const labs = stops.map((stop) => oklab(rgb(stop)));
  const table = new Uint8ClampedArray(256 * 3);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (labs.length - 1);
    const low = Math.min(labs.length - 2, Math.floor(at));
    const [from, to] = [labs[low], labs[low + 1]];
    if (from && to) table.set(fromOklab(mix(from, to, at - low)), i * 3);
  }
  return table;
}

type Lab = [number, number, number];

function mix(from: Lab, to: Lab, share: number): Lab {
  return [
    from[0] + (to[0] - from[0]) * share,
    from[1] + (to[1] - from[1]) * share,
    from[2] + (to[2] - from[2]) * share,
  ];
}

/** Relative luminance (WCAG 2.x), for choosing ink or ground inside a coloured cell. */
export function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

export function theme(root: HTMLElement = document.documentElement): Theme {
  const chosen = root.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Everything a canvas needs to paint, read once per drawing from the page's custom properties. */
export interface Inks {
  heat: Uint8ClampedArray;
  minus: Uint8ClampedArray;
  colour(name: string): string;
}

const ramps = new Map<string, Uint8ClampedArray>();

function rampOf(stops: readonly string[]): Uint8ClampedArray {
  const key = stops.join();
  const table = ramps.get(key) ?? ramp(stops);
  ramps.set(key, table);
  return table;
}

/** What was read under one theme: asking the style of a page that has just changed makes it lay out its styles. */
const read = new Map<string, Inks>();

/** `colour("ink")` is the page's `--ink`; `heat` and `minus` are the two arms of a signed scale. Read once a theme. */
export function inks(): Inks {
  const key = `${theme()} ${matchMedia("(prefers-contrast: more)").matches}`;
  const made = read.get(key) ?? readInks();
  read.set(key, made);
  return made;
}

/** Tokens stand on the root: an element that draws may be gone before its colours are asked for again. */
function readInks(): Inks {
  const colours = new Map<string, string>();
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => {
    const found = colours.get(name) ?? style.getPropertyValue(`--${name}`).trim();
    if (found) colours.set(name, found);
    return found;
  };
  const colour = (name: string) => token(name) || "#808080";
  const own = HEAT[theme()].map((stop, n) => token(`heat-${n}`) || stop);
  return { heat: rampOf(own), minus: rampOf([own[0] ?? "#fff", colour("H")]), colour };
}

export function translucent(colour: string, alpha: number): string {
  const [red, green, blue] = rgb(colour);
  return `rgb(${red} ${green} ${blue} / ${alpha})`;
}

/** Calls back when the page changes between light and dark, by the system or by choice. */
export function onThemeChange(redraw: () => void): () => void {
  const query = matchMedia("(prefers-color-scheme: dark)");
  const watcher = new MutationObserver(redraw);
  watcher.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  query.addEventListener("change", redraw);
  return () => {
    watcher.disconnect();
    query.removeEventListener("change", redraw);
  };
}
