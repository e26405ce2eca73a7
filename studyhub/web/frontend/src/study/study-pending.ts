/** `<study-pending attempt="...">`: asks for the verdict of an answer that waits, and shows the page that has it. */
import { el } from "../dom";

const SOON = 1_000; // ms between the first questions
const LATER = 4_000;
const PATIENT = 10;
const MOST = 60;
const SLOW = "It takes longer than usual. The answer is saved: rate it, or look again later.";

/** Goes to the same page again; tests put another in its place. */
export const again = { load: (): void => location.reload() };

export class StudyPending extends HTMLElement {
  private waiting = 0;
  private asked = 0;

  connectedCallback(): void {
    this.wait();
  }

  disconnectedCallback(): void {
    clearTimeout(this.waiting);
  }

  private wait(): void {
    if (this.asked === PATIENT) this.querySelector("[role=status]")?.append(el("span", {}, ` ${SLOW}`));
    if (this.asked >= MOST) return;
    this.waiting = window.setTimeout(() => this.ask(), this.asked < PATIENT ? SOON : LATER);
  }

  private async ask(): Promise<void> {
    this.asked += 1;
    if (await settled(this.getAttribute("attempt") ?? "")) again.load();
    else if (this.isConnected) this.wait();
  }
}

/** Whether the attempt waits for nothing any more. */
async function settled(attempt: string): Promise<boolean> {
  try {
    const response = await fetch(`/api/v1/attempts/${encodeURIComponent(attempt)}`, {
      credentials: "same-origin",
      headers: { Accept: "application/json" },
    });
    const body = (await response.json()) as { grade?: { pending?: string } };
    return response.ok && body.grade !== undefined && !body.grade.pending;
  } catch {
    return false;
  }
}
