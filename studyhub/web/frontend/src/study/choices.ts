/** Choosing a row by its letter. Pure but for the form's own inputs. */

/** Chooses (or, of several, turns) the row whose key cap shows this letter. True if there is one. */
export function chooseByLetter(form: HTMLFormElement, key: string): boolean {
  if (!/^[a-z]$/i.test(key)) return false;
  const rows = [...form.querySelectorAll<HTMLLabelElement>("label.choice")];
  const row = rows.find(
    (label) => label.querySelector("kbd")?.textContent?.trim().toLowerCase() === key.toLowerCase(),
  );
  const input = row?.querySelector<HTMLInputElement>("input[type=radio], input[type=checkbox]");
  if (!input) return false;
  input.checked = input.type === "radio" || !input.checked;
  input.focus();
  input.dispatchEvent(new Event("change", { bubbles: true }));
  return true;
}
