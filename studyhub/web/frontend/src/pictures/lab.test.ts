/** The page round a picture in the lab: heading, line of numbers, form, address. */
import { afterEach, expect, test } from "vitest";
import { StudyLab } from "./lab";

if (!customElements.get("study-lab")) customElements.define("study-lab", StudyLab);
afterEach(() => document.body.replaceChildren());

const PAGE = `<study-lab><h1>Where does each token look?</h1><p class="lab__line">as the server said</p>
  <div class="lab__tools"></div><study-picture></study-picture></study-lab>
  <form class="lab__all"><select name="model" data-models>
    <option value="">Widths of your own</option><option value="bert-base" data-layers="12">BERT-base</option>
  </select><input name="num_heads"><input name="layer"></form>`;

/** What the picture tells is heard; there is no player in it here. */
function page() {
  document.body.innerHTML = PAGE;
  const picture = document.querySelector("study-picture") as HTMLElement & { tell(): void; link: string };
  picture.tell = () => {};
  picture.link = "/lab/x/?layer=3";
  const lab = document.querySelector("study-lab") as StudyLab;
  lab.connectedCallback();
  const tell = (detail: object) =>
    picture.dispatchEvent(
      new CustomEvent("picture-told", {
        bubbles: true,
        detail: { facts: {}, complete: {}, given: {}, frames: [], question: "", ...detail },
      }),
    );
  const text = (selector: string) => document.querySelector(selector)?.textContent;
  return { tell, text };
}

test("the heading follows what is pointed at, and is the page's own where nothing is", () => {
  const { tell, text } = page();
  tell({ question: "Where does “it” look?" });
  expect(text("h1")).toBe("Where does “it” look?");
  tell({});
  expect(text("h1")).toBe("Where does each token look?");
});

test("the line says whose numbers they are, and each number with its axis", () => {
  const { tell, text } = page();
  const complete = {
    model: "bert-base",
    num_heads: 12,
    num_kv_heads: 12,
    d_head: 64,
    d_model: 768,
    tokens: 4,
  };
  tell({ complete });
  expect(text(".lab__line")).toBe("BERT-base: 12 layers, H = 12, D = 64, d_model = 768, T = 4");
  tell({ complete: { ...complete, model: "", num_kv_heads: 4, shape: [2, 3] } });
  expect(text(".lab__line")).toBe("");
});

test("the form holds what was given and shows what the rest came to", () => {
  const { tell } = page();
  tell({ complete: { model: "bert-base", num_heads: 12, layer: 3 }, given: { layer: 3 } });
  const field = (name: string) => document.querySelector<HTMLInputElement>(`[name=${name}]`);
  expect([field("layer")?.value, field("num_heads")?.value, field("num_heads")?.placeholder]).toEqual([
    "3",
    "",
    "12",
  ]);
  expect(field("model")?.value).toBe("bert-base");
});
