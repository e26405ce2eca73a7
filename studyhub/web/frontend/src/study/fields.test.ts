import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { watchAway } from "./away";
import { show, studyPages } from "./elements-page";
import { keysOf } from "./keys-help";
import { mathOf } from "./mathml";
import { listed } from "./study-chosen";
import { again } from "./study-pending";
import { placeOf } from "./unread-place";

studyPages();

const HIDDEN = `<input type="hidden" name="version" value="3"><input type="hidden" name="variant_seed" value="7">`;
const FORMULA = `<study-card card="uuid"><form class="answer">${HIDDEN}<input id="answer" name="text"><study-echo for="answer"></study-echo></form></study-card>`;
const MATH = "<math><msqrt><mi>d</mi></msqrt></math>";

const answers = (status: number, body: unknown) =>
  vi.fn(async (_url: string, _options?: RequestInit) => new Response(JSON.stringify(body), { status }));
const type = (field: HTMLInputElement | HTMLTextAreaElement, text: string) => {
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
};
const answer = () => document.querySelector("#answer") as HTMLInputElement;
const reading = () => document.querySelector("study-echo") as HTMLElement;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("how a formula is read while it is typed", () => {
  test("is asked for once after a pause, with card, version and seed, and shown as a formula", async () => {
    const fetched = answers(200, { read_as: "the root of d", read_as_mathml: MATH });
    vi.stubGlobal("fetch", fetched);
    show(FORMULA);
    type(answer(), "sqrt(");
    await vi.advanceTimersByTimeAsync(100);
    type(answer(), "sqrt(d)");
    await vi.advanceTimersByTimeAsync(160);
    expect(fetched.mock.calls.length).toBe(1);
    const [url, options] = fetched.mock.calls[0] as [string, RequestInit];
    expect(url).toBe("/api/v1/readings");
    expect(JSON.parse(String(options.body))).toEqual({
      card: "uuid",
      card_version: 3,
      variant_seed: 7,
      field: "text",
      text: "sqrt(d)",
    });
    expect(reading().textContent).toBe("Read as d");
    expect(reading().querySelector("math > msqrt > mi")).not.toBeNull();
  });

  test("an answer that comes late does not replace that of the text typed since", async () => {
    let late: (answer: Response) => void = () => undefined;
    const first = new Promise<Response>((resolve) => {
      late = resolve;
    });
    const fetched = vi.fn(async (_url: string, options: RequestInit) =>
      String(options.body).includes('"a"') ? first : new Response(JSON.stringify({ read_as: "Read as b" })),
    );
    vi.stubGlobal("fetch", fetched);
    show(FORMULA);
    type(answer(), "a");
    await vi.advanceTimersByTimeAsync(160);
    type(answer(), "b");
    await vi.advanceTimersByTimeAsync(160);
    late(new Response(JSON.stringify({ read_as: "Read as a" })));
    await vi.advanceTimersByTimeAsync(10);
    expect(fetched.mock.calls[0]?.[1].signal?.aborted).toBe(true);
    expect(reading().textContent).toBe("Read as b");
  });

  test("what cannot be read is marked where it begins, counted in characters", async () => {
    vi.stubGlobal(
      "fetch",
      answers(422, { errors: [{ field: "text", reason: "I cannot read `$`.", offset: 3 }] }),
    );
    show(FORMULA);
    type(answer(), "𝟙+2$3");
    await vi.advanceTimersByTimeAsync(160);
    expect(reading().textContent).toBe("I cannot read $. 𝟙+2$3");
    expect(reading().querySelector("mark")?.textContent).toBe("$");
  });

  test("it stays quiet where the service says nothing", async () => {
    for (const failing of [
      answers(429, {}),
      answers(403, { detail: "no" }),
      vi.fn(async () => Promise.reject(new TypeError("offline"))),
    ]) {
      vi.stubGlobal("fetch", failing);
      show(FORMULA);
      type(answer(), "d");
      await vi.advanceTimersByTimeAsync(160);
      expect(failing).toHaveBeenCalledTimes(1);
      expect(reading().textContent).toBe("");
    }
  });

  test("an emptied field asks nothing", async () => {
    const fetched = answers(200, { read_as: "x" });
    vi.stubGlobal("fetch", fetched);
    show(FORMULA);
    type(answer(), "d");
    type(answer(), "  ");
    await vi.advanceTimersByTimeAsync(200);
    expect(fetched).not.toHaveBeenCalled();
  });
});

describe("a number while it is typed", () => {
  const NUMBER = FORMULA.replace(
    'name="text"',
    'name="text" data-type="numeric" data-unit="heads" data-names="H"',
  );

  test("is read here at once, and the service is not asked", async () => {
    const fetched = answers(200, { read_as: "x" });
    vi.stubGlobal("fetch", fetched);
    show(NUMBER);
    type(answer(), "4*3 heads");
    expect(reading().textContent).toBe("Read as 4 × 3 heads = 12");
    type(answer(), "H = 12");
    expect(reading().textContent).toBe("Read as the whole number 12");
    await vi.advanceTimersByTimeAsync(200);
    expect(fetched).not.toHaveBeenCalled();
  });

  test("in a spelling that is not read here is read by the service", async () => {
    vi.stubGlobal("fetch", answers(200, { read_as: "Read as 768 / 12 = 64" }));
    show(NUMBER);
    type(answer(), "\\frac{768}{12}");
    await vi.advanceTimersByTimeAsync(160);
    expect(reading().textContent).toBe("Read as 768 / 12 = 64");
    expect(reading().hasAttribute("data-unread")).toBe(false);
  });

  test("that is none yet is said to be none, with the place", async () => {
    vi.stubGlobal(
      "fetch",
      answers(422, { errors: [{ field: "text", reason: "I could not read `12x`.", offset: 2 }] }),
    );
    show(NUMBER);
    type(answer(), "12x");
    await vi.advanceTimersByTimeAsync(160);
    expect(reading().textContent).toBe("Not a number yet: 12x");
    expect(reading().querySelector("mark")?.textContent).toBe("x");
    expect(reading().hasAttribute("data-unread")).toBe(true);
  });
});

describe("cells", () => {
  const CELLS = `<study-card card="uuid"><form class="answer">${HIDDEN}
    <input id="a" name="cell-a" aria-label="BERT, heads">
    <input id="b" name="cell-b" aria-label="BERT, root">
    <study-echo></study-echo></form></study-card>`;
  const cell = (name: string) => document.querySelector(`#${name}`) as HTMLInputElement;
  const enter = (name: string) => cell(name).dispatchEvent(new Event("focusin", { bubbles: true }));

  test("the one that has focus is read, and named", async () => {
    const fetched = answers(200, { read_as: "Read as d", read_as_mathml: "" });
    vi.stubGlobal("fetch", fetched);
    show(CELLS);
    enter("a");
    expect(reading().textContent).toBe("");
    enter("b");
    type(cell("b"), "d");
    await vi.advanceTimersByTimeAsync(160);
    expect(JSON.parse(String(fetched.mock.calls[0]?.[1]?.body)).field).toBe("cells.b");
    expect(reading().textContent).toBe("BERT, root: Read as d");
    enter("a");
    expect(reading().textContent).toBe("");
  });

  test("an unsent table is back in its cells", () => {
    const card = `<study-card card="uuid"><form class="answer"><input type="hidden" name="card" value="t">${HIDDEN}
      <input id="a" name="cell-a"><input id="b" name="cell-b"></form></study-card>`;
    show(card);
    type(cell("b"), "12");
    show(card);
    expect([cell("a").value, cell("b").value]).toEqual(["", "12"]);
  });
});

describe("a field of code", () => {
  const CODE = `<form class="answer"><study-code><textarea rows="4">q = 1</textarea></study-code></form>`;
  const area = () => document.querySelector("textarea") as HTMLTextAreaElement;
  const press = (key: string, more: KeyboardEventInit = {}) =>
    area().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
  const numbers = () => [...document.querySelectorAll(".code-field__numbers span")];

  test("numbers its lines and grows with them", () => {
    show(CODE.replace("q = 1", "a\nb\nc\nd\ne\nf"));
    expect(numbers().map((one) => one.textContent)).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(Number(area().rows)).toBe(6);
  });

  test("Tab indents, Shift+Tab takes it back, Enter goes on at the same depth", () => {
    show(CODE);
    area().setSelectionRange(0, 0);
    expect(press("Tab")).toBe(false);
    expect(area().value).toBe("    q = 1");
    area().setSelectionRange(9, 9);
    press("Enter");
    expect(area().value).toBe("    q = 1\n    ");
    press("Tab", { shiftKey: true });
    expect(area().value).toBe("    q = 1\n");
  });

  test("Tab on several lines indents each of them", () => {
    show(CODE.replace("q = 1", "a\nb\nc"));
    area().setSelectionRange(0, 3);
    press("Tab");
    expect(area().value).toBe("    a\n    b\nc");
    expect([area().selectionStart, area().selectionEnd]).toEqual([4, 11]);
    press("Tab", { shiftKey: true });
    expect(area().value).toBe("a\nb\nc");
  });

  test("the list of keys says how to indent and how to leave", () => {
    show(
      `${CODE}<form class="answer"><button name="check">Check <kbd>Esc</kbd> <kbd>Enter</kbd></button></form>`,
    );
    const keys = keysOf();
    expect(keys).toContainEqual({ keys: "Esc Enter", does: "Check" });
    expect(keys.map((one) => one.keys)).toEqual(expect.arrayContaining(["Tab", "Esc Tab"]));
  });

  test("Escape and keys with Ctrl are left to the page", () => {
    show(CODE);
    expect([press("Escape"), press("Tab", { ctrlKey: true })]).toEqual([true, true]);
    expect(area().value).toBe("q = 1");
  });

  test("the line that cannot be read is marked beside its number", async () => {
    vi.stubGlobal("fetch", answers(422, { errors: [{ field: "text", reason: "Not closed.", offset: 6 }] }));
    show(
      `<study-card card="u"><form class="answer">${HIDDEN}<study-code><textarea id="answer" name="text" rows="2"></textarea></study-code><study-echo for="answer"></study-echo></form></study-card>`,
    );
    type(area(), "a = 1\n(b");
    await vi.advanceTimersByTimeAsync(160);
    expect(reading().textContent).toBe("Line 2: Not closed. (b");
    expect(numbers().map((one) => one.className)).toEqual(["", "at"]);
  });
});

describe("several options", () => {
  const ROWS = `<form class="answer">${["a", "b", "c", "none"].map((id, n) => `<label class="choice"><input type="checkbox" name="choices" value="${id}"><kbd>${"ABCD"[n]}</kbd></label>`).join("")}<study-chosen></study-chosen></form>`;
  const choose = (id: string) => (document.querySelector(`[value=${id}]`) as HTMLInputElement).click();
  const told = () => document.querySelector("study-chosen")?.textContent;

  test("are told by their letters", () => {
    show(ROWS);
    expect(told()).toBe("Nothing is chosen yet");
    choose("b");
    choose("a");
    choose("c");
    expect(told()).toBe("Chosen: A, B and C");
    expect([listed(["B"]), listed(["B", "D"])]).toEqual(["B", "B and D"]);
  });

  test("and none of these stands alone", () => {
    show(ROWS);
    choose("a");
    choose("none");
    expect(told()).toBe("Chosen: D");
    choose("b");
    expect(told()).toBe("Chosen: B");
  });
});

describe("an answer that waits for its verdict", () => {
  const PENDING = `<study-pending attempt="one"><p role="status">Being run.</p></study-pending>`;

  test("is asked for until it has one, then the page is shown again", async () => {
    const load = vi.spyOn(again, "load").mockImplementation(() => undefined);
    const pending = ["worker", "worker", ""];
    const fetched = vi.fn(
      async (_url: string) => new Response(JSON.stringify({ grade: { pending: pending.shift() } })),
    );
    vi.stubGlobal("fetch", fetched);
    show(PENDING);
    await vi.advanceTimersByTimeAsync(2500);
    expect(load).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1000);
    expect(load).toHaveBeenCalledTimes(1);
    expect(fetched.mock.calls.map(([url]) => url)).toEqual(Array(3).fill("/api/v1/attempts/one"));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fetched).toHaveBeenCalledTimes(3);
  });

  test("says after ten questions that it takes longer, and asks on through failures", async () => {
    vi.stubGlobal(
      "fetch",
      vi.fn(async () => Promise.reject(new TypeError("offline"))),
    );
    show(PENDING);
    await vi.advanceTimersByTimeAsync(10_500);
    expect(document.querySelector("[role=status]")?.textContent).toContain("It takes longer than usual.");
  });
});

test("a formula is taken as elements, and nothing but a formula is taken", () => {
  expect(mathOf(MATH)?.tagName.toLowerCase()).toBe("math");
  expect(mathOf("<p>no</p>")).toBeNull();
  expect(mathOf("<math><mi>d</mi><script>1</script></math>")).toBeNull();
  expect(mathOf('<math><mi onclick="x">d</mi></math>')?.querySelector("mi")?.attributes.length).toBe(0);
  expect(mathOf("")).toBeNull();
});

test("a place in several lines is shown with its own line alone", () => {
  expect(placeOf("a = 1\nb $ 2", 8)).toEqual({ line: 2, lines: 2, before: "b ", at: "$", after: " 2" });
  expect(placeOf("ab", 2)).toMatchObject({ line: 1, before: "ab", at: " ", after: "" });
  expect(placeOf("ab", -1)).toBeNull();
  expect(placeOf("  ", 0)).toBeNull();
  expect(placeOf(`${"x".repeat(60)}$`, 60)?.before.length).toBe(41);
});

test("an answer whose page was out of sight says so, another does not", () => {
  show(`<form class="answer"><input type="hidden" name="away" value=""></form>`);
  const away = () => document.querySelector<HTMLInputElement>("[name=away]")?.value;
  watchAway();
  const state = vi.spyOn(document, "visibilityState", "get").mockReturnValue("visible");
  document.dispatchEvent(new Event("visibilitychange"));
  expect(away()).toBe("");
  state.mockReturnValue("hidden");
  document.dispatchEvent(new Event("visibilitychange"));
  expect(away()).toBe("1");
  state.mockRestore();
});
