import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Edit, Edits, read } from "./edits";

const D_HEAD: Edit = { name: "d_head", label: "d_head", takes: "number", stops: [8, 64, 1024] };
const DIVISOR: Edit = {
  name: "divisor",
  label: "Divide by",
  takes: "choice",
  choices: ["sqrt", "none"],
  other: "decimal",
};
const PROGRAM: Edit = { name: "program", label: "Program", takes: "code" };

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

const shown = (...edits: Edit[]) => {
  const send = vi.fn();
  const made = new Edits(edits, send);
  document.body.append(made.element);
  const find = <T extends HTMLElement>(selector: string) => made.element.querySelector(selector) as T;
  return { made, send, find };
};
const tell = (field: HTMLElement, event: string) => field.dispatchEvent(new Event(event, { bubbles: true }));

test("what cannot be taken is told with a way out, what can is kept as its parameter takes it", () => {
  expect(read(D_HEAD, "1,024")).toEqual({ value: 1024 });
  expect(read({ ...D_HEAD, least: 2 }, "1")).toEqual({ why: "d_head: give one whole number of 2 or more." });
  expect([read(DIVISOR, "none"), read(DIVISOR, "11.31")]).toEqual([{ value: "none" }, { value: "11.31" }]);
  expect(read(DIVISOR, "eight")).toHaveProperty("why");
  expect(read(PROGRAM, "a\n  b")).toEqual({ value: "a\n  b" });
});

test("a slider that moves asks once it rests, with the last value", () => {
  const { send, find } = shown(D_HEAD);
  const slider = find<HTMLInputElement>("[type=range]");
  for (const stop of ["1", "2"]) {
    slider.value = stop;
    tell(slider, "input");
  }
  expect(send).not.toHaveBeenCalled();
  vi.advanceTimersByTime(400);
  expect(send.mock.calls).toEqual([[{ d_head: 1024 }]]);
  expect(find<HTMLInputElement>("[name=d_head]").value).toBe("1024");
});

test("a value of one's own is offered beside the choices", () => {
  const { made, send, find } = shown(DIVISOR);
  made.show({ divisor: "11.31" }, {});
  const own = find<HTMLInputElement>("[aria-label='Divide by, a number']");
  expect([own.hidden, own.value, find<HTMLSelectElement>("select").value]).toEqual([
    false,
    "11.31",
    "another",
  ]);
  own.value = "8";
  tell(own, "change");
  vi.advanceTimersByTime(1);
  expect(send).toHaveBeenLastCalledWith({ divisor: "8" });
});

test("a field shows the picture's own value, then the page's, then what the facts tell; no fact is a choice", () => {
  const SCALE: Edit = { name: "scale", label: "Scale", takes: "choice", choices: ["own", "none"] };
  const { made, find } = shown(D_HEAD, SCALE);
  made.show({}, { d_head: 32, scale: "1/sqrt(32)" });
  expect(find<HTMLInputElement>("[name=d_head]").value).toBe("32");
  expect(find<HTMLSelectElement>("select").value).toBe("own");
  made.show({ scale: "none" }, { d_head: 32 }, { d_head: 64, scale: "own" });
  expect(find<HTMLInputElement>("[name=d_head]").value).toBe("64");
  expect(find<HTMLSelectElement>("select").value).toBe("none");
});

test("a field that is being typed in keeps what is typed when a picture comes", () => {
  const { made, find } = shown(D_HEAD, PROGRAM);
  const area = find<HTMLTextAreaElement>("textarea");
  area.focus();
  area.value = "half a line";
  made.show({ d_head: 64, program: "old" }, {});
  expect([area.value, find<HTMLInputElement>("[name=d_head]").value]).toEqual(["half a line", "64"]);
});

test("every field has a name for a screen reader", () => {
  const { made } = shown(D_HEAD, DIVISOR, PROGRAM);
  for (const field of made.element.querySelectorAll("input, select, textarea"))
    expect(field.getAttribute("aria-label") ?? field.closest("label")?.textContent).toBeTruthy();
});

test("a field that belongs to one value of another is there with that value only, and shows what follows from it", () => {
  const mask: Edit = { name: "mask", label: "Mask", takes: "choice", choices: ["none", "sliding_window"] };
  const window: Edit = {
    name: "window",
    label: "Window",
    takes: "number",
    only: ["mask", "sliding_window"],
  };
  const { made, find } = shown(mask, window);
  const [field, page] = [find<HTMLInputElement>("[name=window]"), { mask: "none", window: 0 }];
  made.show({}, { mask: "none", window: 0 }, page);
  expect(field.closest<HTMLElement>(".edits__field")?.hidden).toBe(true);
  made.show({ mask: "sliding_window" }, { mask: "sliding_window", window: 4 }, page);
  expect([field.closest<HTMLElement>(".edits__field")?.hidden, field.value]).toEqual([false, "4"]);
});

test("a field that a model leaves nothing to change with is not offered, named or meant by default", () => {
  const shared: Edit = {
    name: "num_kv_heads",
    label: "K/V heads",
    takes: "number",
    except: ["model", "minilm"],
  };
  const { made, find } = shown(shared);
  const field = () => find<HTMLElement>(".edits__field").hidden;
  const offered = [{ model: "minilm" }, {}, { model: "random" }].map((parameters) => {
    made.show(parameters, { num_kv_heads: 12 });
    return field();
  });
  expect(offered).toEqual([true, true, false]);
});
