import { expect, test } from "vitest";
import { svg } from "../dom";
import { fileName, framed, toSvg, wrapped } from "./export";
import { type Mark, pathData, type Snapshot } from "./snapshot";

const font = { size: 12, family: 'Inter, "Segoe UI"', weight: "400", style: "normal" };
const TEXT: Mark = { kind: "text", x: 5, y: 10, text: 'Q < K & "V"', font, fill: "rgb(1, 2, 3)", turn: -50 };
const snapshot = (...marks: Mark[]): Snapshot => ({ width: 100, height: 50, ground: "#fff", marks });

test("texts stay texts, lines stay paths, a canvas is an image in the file", () => {
  const canvas = { toDataURL: () => "data:image/png;base64,AA" } as HTMLCanvasElement;
  const drawn = toSvg(
    snapshot(
      TEXT,
      {
        kind: "path",
        d: "M0 0L9 9",
        x: 1,
        y: 2,
        scale: 1,
        fill: "none",
        line: { colour: "red", width: 2, dash: [7, 4] },
      },
      { kind: "image", x: 0, y: 0, w: 10, h: 10, canvas },
      { kind: "box", x: 0, y: 0, w: 4, h: 4, fill: "blue", radius: 2 },
    ),
  );
  const parsed = new DOMParser().parseFromString(drawn, "image/svg+xml");
  expect(parsed.querySelector("text")?.textContent).toBe('Q < K & "V"');
  expect(parsed.querySelector("text")?.getAttribute("transform")).toBe("rotate(-50 5 10)");
  expect(parsed.querySelector("path")?.getAttribute("stroke-dasharray")).toBe("7 4");
  expect(parsed.querySelector("image")?.getAttribute("href")).toBe("data:image/png;base64,AA");
  expect(parsed.documentElement.getAttribute("viewBox")).toBe("0 0 100 50");
  expect(drawn).not.toContain("http://localhost");
});

test("title stands over the drawing, sentence and source under it, and nothing overlaps", () => {
  const words = (text: string) => ({ text, font, fill: "black" });
  const made = framed(snapshot(TEXT), [words("Title")], [words("A sentence"), words("torch 2.14.1")], "#fff");
  const texts = made.marks.filter((mark) => mark.kind === "text");
  expect(texts.map(({ text }) => text)).toEqual(["Title", TEXT.text, "A sentence", "torch 2.14.1"]);
  const heights = texts.map(({ y }) => y);
  expect(heights).toEqual([...heights].sort((one, other) => one - other));
  expect(made.height).toBeGreaterThan(heights.at(-1) ?? 0);
});

test("a long sentence is set in lines", () => {
  expect(wrapped("one two three", 8, (text) => text.length)).toEqual(["one two", "three"]);
});

test("a file is called by its kind and the beginning of its address", () => {
  expect(fileName("saturation", "0f3a9c21b7de44", "svg")).toBe("saturation-0f3a9c21b7de.svg");
  expect(fileName("saturation", "", "json")).toBe("saturation.json");
});

test("simple shapes are written as paths", () => {
  expect(pathData(svg("line", { x1: 1, y1: 2, x2: 3, y2: 4 }))).toBe("M1 2L3 4");
  expect(pathData(svg("rect", { x: 1, y: 2, width: 3, height: 4 }))).toBe("M1 2h3v4h-3Z");
  expect(pathData(svg("path", { d: "M0 0Z" }))).toBe("M0 0Z");
});
