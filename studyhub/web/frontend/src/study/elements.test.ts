import { describe, expect, test } from "vitest";
import { chooseByLetter } from "./choices";
import { clicked, press, show, studyPages } from "./elements-page";
import { forget, tellKept } from "./unsent";

studyPages();

const CARD = `<study-card><form id="answer-form"><input type="hidden" name="card" value="c"><input type="hidden" name="version" value="3">
  <input type="hidden" name="variant_seed" value="0"><input id="answer" name="text" type="text" data-type="numeric" data-unit="heads"><span class="answer__unit">heads</span>
  <study-echo for="answer"></study-echo>
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
