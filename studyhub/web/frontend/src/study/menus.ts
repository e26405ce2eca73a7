/** Menus that are folds: Escape and a press elsewhere close them; Escape then does nothing else. */

const OPEN = "details.more[open], details.account[open]";

function close(menu: HTMLDetailsElement): void {
  menu.open = false;
  menu.querySelector("summary")?.focus();
}

export function startMenus(): void {
  document.addEventListener(
    "keydown",
    (event) => {
      const menu = document.querySelector<HTMLDetailsElement>(OPEN);
      if (event.key !== "Escape" || !menu || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      close(menu);
    },
    { capture: true },
  );
  document.addEventListener("pointerdown", (event) => {
    for (const menu of document.querySelectorAll<HTMLDetailsElement>(OPEN))
      if (!(event.target instanceof Node && menu.contains(event.target))) menu.open = false;
  });
}
