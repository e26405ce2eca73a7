/** F2 steps through how sure one is: nothing said, Guess, Likely, Sure, nothing said. Knows no grade. */
import { plain } from "../dom";

/** The next of the radios is chosen; behind the last none is. True if there are any. */
export function stepSureness(root: ParentNode = document): boolean {
  const options = [...root.querySelectorAll<HTMLInputElement>('.sure input[type="radio"]')];
  if (!options.length) return false;
  const next = options[options.findIndex(({ checked }) => checked) + 1];
  for (const option of options) option.checked = option === next;
  const status = root.querySelector(".sure [role=status]");
  if (status) status.textContent = next?.closest("label")?.textContent?.trim() ?? "Nothing said";
  return true;
}

export function startSureness(): void {
  document.addEventListener("keydown", (event) => {
    if (event.key === "F2" && plain(event) && !event.repeat && stepSureness()) event.preventDefault();
  });
}
