/** The toast: stays 8 s, stays while hovered or focused, Alt+T focuses it. Its action stays a key of the page. */

const STAYS_MS = 8000;

function leave(toast: HTMLElement): void {
  if (toast.matches(":hover, :focus-within")) window.setTimeout(() => leave(toast), 1000);
  else toast.hidden = true;
}

export function startToast(): void {
  const toast = document.querySelector<HTMLElement>("[data-toast]");
  if (!toast) return;
  window.setTimeout(() => leave(toast), STAYS_MS);
  document.addEventListener("keydown", (event) => {
    if (!event.altKey || event.key.toLowerCase() !== "t" || toast.hidden) return;
    event.preventDefault();
    toast.querySelector<HTMLElement>("button, a")?.focus();
  });
}
