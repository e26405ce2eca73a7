import { describe, expect, test } from "vitest";
import { clicked, press, show, studyPages } from "./elements-page";
import { act } from "./keys";
import { keysOf } from "./keys-help";

studyPages();

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

  test("A opens no menu of a picture in a section", () => {
    show(
      "<topic-sections><details><study-picture><details></details></study-picture></details></topic-sections>",
    );
    press("a");
    expect([...document.querySelectorAll("details")].map(({ open }) => open)).toEqual([true, false]);
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
