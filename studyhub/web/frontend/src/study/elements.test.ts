import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { chooseByLetter } from "./choices";
import { act, startKeys } from "./keys";
import { KeysHelp, keysOf } from "./keys-help";
import { RatingBar } from "./rating-bar";
import { StudyCard } from "./study-card";
import { StudyEcho } from "./study-echo";
import { StudyOrdering } from "./study-ordering";
import { TopicSections } from "./topic-sections";
import { forget, tellKept } from "./unsent";

beforeAll(() => {
  customElements.define("study-card", StudyCard);
  customElements.define("study-echo", StudyEcho);
  customElements.define("study-ordering", StudyOrdering);
  customElements.define("rating-bar", RatingBar);
  customElements.define("topic-sections", TopicSections);
  customElements.define("keys-help", KeysHelp);
  startKeys();
});

afterEach(() => {
  document.body.replaceChildren();
  sessionStorage.clear();
});

const show = (html: string) => {
  const template = document.createElement("template");
  template.innerHTML = html;
  document.body.replaceChildren(document.importNode(template.content, true));
};
const press = (key: string, on: Element = document.body, more: KeyboardEventInit = {}) =>
  on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
const clicked = (selector: string) => {
  const heard = vi.fn((event: Event) => event.preventDefault());
  document.querySelector(selector)?.addEventListener("click", heard);
  return heard;
};

const CARD = `<study-card><form id="answer-form"><input type="hidden" name="card" value="c"><input type="hidden" name="version" value="3">
  <input type="hidden" name="variant_seed" value="0"><input id="answer" name="text" type="text"><span class="answer__unit">heads</span>
  <study-echo for="answer" answer-type="numeric"></study-echo>
  <button class="button--primary" name="check" value="1">Check</button><button name="reveal" value="1">I do not know</button></form></study-card>
  <button form="answer-form" name="hint" value="1" disabled>1</button><button form="answer-form" name="hint" value="2">2</button>`;

describe("the card", () => {
  test("Shift+Enter in the field gives up, Ctrl+Enter takes the next hint that can be taken", () => {
    show(CARD);
    const [field, gave, hint] = [
      document.querySelector("#answer") as Element,
      clicked("[name=reveal]"),
      clicked("[value='2']"),
    ];
    press("Enter", field, { shiftKey: true });
    press("Enter", field, { ctrlKey: true });
    expect([gave.mock.calls.length, hint.mock.calls.length]).toEqual([1, 1]);
  });

  test("an unsent answer is back in its field, and its echo with it", () => {
    show(CARD);
    const field = document.querySelector<HTMLInputElement>("#answer");
    if (field) field.value = "4*16";
    field?.dispatchEvent(new Event("input", { bubbles: true }));
    show(CARD);
    expect(document.querySelector<HTMLInputElement>("#answer")?.value).toBe("4*16");
    expect(document.querySelector("study-echo")?.textContent).toBe("Read as 4 × 16 = 64");
  });

  test("an unsent answer does not come back to another version of the card", () => {
    show(CARD);
    const field = document.querySelector<HTMLInputElement>("#answer");
    if (field) field.value = "10";
    field?.dispatchEvent(new Event("input", { bubbles: true }));
    show(CARD.replace('value="3"', 'value="4"'));
    expect(document.querySelector<HTMLInputElement>("#answer")?.value).toBe("");
  });
});

describe("an answer sent while signed out", () => {
  const field = () => document.querySelector<HTMLInputElement>("#answer") as HTMLInputElement;
  const send = (text: string) => {
    show(CARD);
    field().value = text;
    field().dispatchEvent(new Event("input", { bubbles: true }));
    document.querySelector("form")?.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  };

  test("is named on the page for signing in and is back in its field", () => {
    send("77");
    show(
      '<p><span data-kept="Sign in and it is still in the field.">Nothing was counted.</span></p><a data-again href="/study/">Again</a>',
    );
    tellKept();
    expect(document.querySelector("p")?.textContent).toBe(
      "Your answer 77 is kept in this browser. Sign in and it is still in the field.",
    );
    expect(document.querySelector("a")?.search).toBe("?card=c");
    show(CARD);
    expect(field().value).toBe("77");
  });

  test("is forgotten with its result, not with that of another card", () => {
    send("77");
    show(CARD.replace('value="c"', 'value="other"'));
    document.querySelector("form")?.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    forget();
    show(CARD);
    expect(field().value).toBe("77");
    send("77");
    forget();
    show(CARD);
    expect(field().value).toBe("");
  });

  test("may be a choice or an order, and does not replace what the service gave back", () => {
    const ROWS = `<study-card><form><input type="hidden" name="card" value="o">
      <label><input type="checkbox" name="choices" value="a"></label><label><input type="checkbox" name="choices" value="b"></label>
      <study-ordering><ol>${["one", "two"].map((id) => `<li data-id="${id}"><select name="place-${id}"><option value="">-</option><option>1</option><option>2</option></select></li>`).join("")}</ol></study-ordering>
      </form></study-card>`;
    show(ROWS);
    (document.querySelector("[value=b]") as HTMLInputElement).checked = true;
    press("ArrowDown", document.querySelector("[data-id=one]") as Element, { altKey: true });
    show(ROWS);
    expect(document.querySelector<HTMLInputElement>(":checked")?.value).toBe("b");
    expect([...document.querySelectorAll("li")].map((row) => row.dataset.id)).toEqual(["two", "one"]);
    show(CARD.replace('name="text"', 'name="text" value="64"'));
    expect(field().value).toBe("64");
  });
});

describe("rows of a choice", () => {
  const ROWS = `<form><label class="choice"><input type="radio" name="choices" value="a"><kbd>A</kbd></label>
    <label class="choice"><input type="radio" name="choices" value="b"><kbd>B</kbd></label></form>`;

  test("a letter chooses its row", () => {
    show(ROWS);
    const form = document.querySelector("form") as HTMLFormElement;
    expect(chooseByLetter(form, "b")).toBe(true);
    expect(form.querySelector<HTMLInputElement>(":checked")?.value).toBe("b");
    expect(chooseByLetter(form, "e")).toBe(false);
  });

  test("of several a letter turns its row on and off", () => {
    show(ROWS.replaceAll("radio", "checkbox"));
    const form = document.querySelector("form") as HTMLFormElement;
    chooseByLetter(form, "a");
    chooseByLetter(form, "b");
    chooseByLetter(form, "a");
    expect([...form.querySelectorAll<HTMLInputElement>(":checked")].map(({ value }) => value)).toEqual(["b"]);
  });
});

const RATING = `<input id="field"><rating-bar><form><button name="rating" value="1" data-key="1" type="button">Again</button>
  <button name="rating" value="3" data-key="3" data-suggested type="button">Good</button></form></rating-bar>
  <form><button data-key="u" type="button">Undo</button></form>`;

describe("rating", () => {
  test("Enter takes the suggestion, a number its own button, U the undo", () => {
    show(RATING);
    const [again, good, undo] = [clicked("[value='1']"), clicked("[value='3']"), clicked("[data-key=u]")];
    press("Enter");
    press("1");
    press("U");
    expect([again, good, undo].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1]);
  });

  test("no single key acts while a field has focus", () => {
    show(RATING);
    const heard = [clicked("[value='1']"), clicked("[value='3']"), clicked("[data-key=u]")];
    const field = document.querySelector("#field") as Element;
    for (const key of ["1", "u", "Enter"]) press(key, field);
    expect(heard.every(({ mock }) => mock.calls.length === 0)).toBe(true);
  });

  test("keys held with Ctrl belong to the browser", () => {
    show(RATING);
    const undo = clicked("[data-key=u]");
    act(new KeyboardEvent("keydown", { key: "u", ctrlKey: true }));
    expect(undo).not.toHaveBeenCalled();
  });
});

describe("ordering", () => {
  const LIST = `<study-ordering><ol>${["view", "attend", "merge"]
    .map(
      (id) =>
        `<li data-id="${id}"><select name="place-${id}"><option value="">-</option><option>1</option><option>2</option><option>3</option></select><span>${id}</span></li>`,
    )
    .join("")}</ol></study-ordering>`;
  const order = () => [...document.querySelectorAll<HTMLElement>("li")].map((row) => row.dataset.id);
  const places = () =>
    [...document.querySelectorAll("select")].map((select) => `${select.name}=${select.value}`);
  const row = (id: string) => document.querySelector(`[data-id=${id}]`) as HTMLElement;

  test("the selects say the order from the beginning", () => {
    show(LIST);
    expect(places()).toEqual(["place-view=1", "place-attend=2", "place-merge=3"]);
  });

  test("Alt with arrows moves a row, the selects follow and the move is spoken", () => {
    show(LIST);
    press("ArrowDown", row("view"), { altKey: true });
    expect(order()).toEqual(["attend", "view", "merge"]);
    expect(places()).toEqual(["place-attend=1", "place-view=2", "place-merge=3"]);
    expect(document.querySelector("[role=status]")?.textContent).toBe("view, now 2 of 3");
  });

  test("Space lifts, arrows move, Escape puts back", () => {
    show(LIST);
    row("merge").focus();
    press(" ", row("merge"));
    press("ArrowUp", row("merge"));
    press("ArrowUp", row("merge"));
    expect(order()).toEqual(["merge", "view", "attend"]);
    press("Escape", row("merge"));
    expect(order()).toEqual(["view", "attend", "merge"]);
    expect(places()[0]).toBe("place-view=1");
  });

  test("Space again drops where it stands", () => {
    show(LIST);
    row("merge").focus();
    press(" ", row("merge"));
    press("ArrowUp", row("merge"));
    press(" ", row("merge"));
    press("Escape", row("merge"));
    expect(order()).toEqual(["view", "merge", "attend"]);
  });
});

describe("sections and keys", () => {
  test("A opens all sections and closes them when all are open", () => {
    show("<topic-sections><details></details><details open></details></topic-sections>");
    const open = () => [...document.querySelectorAll("details")].map((section) => section.open);
    press("a");
    expect(open()).toEqual([true, true]);
    press("a");
    expect(open()).toEqual([false, false]);
  });

  test.each([
    '<input type="text" name="text">',
    '<input type="radio" name="choices">',
    '<ol><li tabindex="0">row</li></ol>',
  ])("Escape leaves the answer first and ends the session when pressed again: %s", (field) => {
    show(`<a data-key="Escape" href="#end">End</a><form class="answer">${field}</form>`);
    const [ended, one] = [clicked("a"), document.querySelector<HTMLElement>("input, li") as HTMLElement];
    one.focus();
    press("Escape", one);
    expect([ended.mock.calls.length, document.activeElement]).toEqual([0, document.body]);
    press("Escape");
    expect(ended).toHaveBeenCalledOnce();
  });

  test("E goes to the explanation: opens it, leaves it open where it is, closes it when pressed there", () => {
    for (const start of ["", " open"]) {
      show(`<details${start}><summary tabindex="0">Why <kbd>E</kbd></summary></details>`);
      const why = document.querySelector("details") as HTMLDetailsElement;
      press("e");
      expect([why.open, document.activeElement]).toEqual([true, why.firstElementChild]);
      press("E");
      expect(why.open).toBe(false);
    }
  });

  test("the list of keys is read off the page", () => {
    show('<a data-key="p">Practise 24 cards <kbd>P</kbd></a><label class="choice"></label>');
    expect(keysOf()).toEqual([
      { keys: "P", does: "Practise 24 cards" },
      { keys: "A to D", does: "choose that row" },
      { keys: "?", does: "show these keys" },
    ]);
  });
});
