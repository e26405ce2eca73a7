/** Marks in the contents of a topic which section is being read. Knows no section but its place. */

const READ_FROM = 160; // px below the top of the window

export function followReading(root: Document = document): void {
  const links = [...root.querySelectorAll<HTMLAnchorElement>(".contents a")];
  const places = links.map((link) => root.getElementById(decodeURIComponent(link.hash.slice(1))));
  if (links.length === 0) return;
  const mark = () => {
    const passed = places.filter((place) => place && place.getBoundingClientRect().top < READ_FROM).length;
    for (const [n, link] of links.entries())
      if (n === Math.max(0, passed - 1)) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
  };
  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      mark();
    });
  };
  window.addEventListener("scroll", soon, { passive: true });
  mark();
}
