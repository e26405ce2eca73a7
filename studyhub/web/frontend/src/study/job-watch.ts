/** Looks again at what a worker makes until it is there, and puts it in place. Knows no kind of work. */

const SOON = 1000;
const LATER = 2500;
const FEW = 8;
const LOST = "The service does not answer. It is asked again.";

export class JobWatch extends HTMLElement {
  private looks = 0;
  private timer = 0;

  connectedCallback(): void {
    if (this.hasAttribute("data-live")) this.wait();
  }

  disconnectedCallback(): void {
    clearTimeout(this.timer);
  }

  private wait(): void {
    this.timer = window.setTimeout(() => void this.look(), this.looks++ < FEW ? SOON : LATER);
  }

  private async look(): Promise<void> {
    if (document.hidden) return this.wait();
    const found = await newest(this.id);
    if (!this.isConnected) return;
    if (!found) this.say(LOST);
    else if (found.hasAttribute("data-live")) this.goOn(found);
    else return this.finish(found);
    this.wait();
  }

  /** Still under way: the sentence and the bar go on, nothing else moves. */
  private goOn(found: Element): void {
    const sentence = found.querySelector("[data-said]")?.textContent ?? "";
    const shown = this.querySelector("[data-said]");
    if (shown) shown.textContent = sentence;
    const [bar, newer] = [this, found].map((one) => one.querySelector("progress"));
    if (newer) bar?.replaceWith(newer);
    if (this.looks % FEW === 0) this.say(sentence);
  }

  private finish(found: Element): void {
    const body = this.querySelector("[data-body]");
    const newer = found.querySelector("[data-body]");
    const held = body?.contains(document.activeElement);
    this.removeAttribute("data-live");
    if (body && newer) body.replaceWith(newer);
    const heading = this.querySelector<HTMLElement>("h2[tabindex]");
    if (held) heading?.focus();
    this.say(
      newer?.querySelector("[data-failed]") ? (heading?.textContent ?? "") : (this.dataset.ready ?? ""),
    );
  }

  private say(words: string): void {
    const status = this.querySelector("[role=status]");
    if (status && status.textContent !== words) status.textContent = words;
  }
}

/** The same part of the page as it is now; null where the service does not answer. */
async function newest(id: string): Promise<Element | null> {
  try {
    const answer = await fetch(location.pathname + location.search, { headers: { Accept: "text/html" } });
    if (!answer.ok) return null;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.getElementById(id);
  } catch {
    return null;
  }
}
