/** `<study-chosen>`: says which of several options are chosen; "None of these" stands alone. */

const NONE = "none";

export class StudyChosen extends HTMLElement {
  private readonly changed = (event: Event) => this.change(event.target);

  connectedCallback(): void {
    const form = this.closest("form");
    form?.addEventListener("change", this.changed);
    form?.addEventListener("input", this.changed);
    this.show();
  }

  private get inputs(): HTMLInputElement[] {
    return [...(this.closest("form")?.querySelectorAll<HTMLInputElement>("input[name=choices]") ?? [])];
  }

  /** Choosing "None of these" takes the others back, and the other way round. */
  private change(target: EventTarget | null): void {
    if (target instanceof HTMLInputElement && target.name === "choices" && target.checked)
      for (const other of this.inputs)
        if (other !== target && (other.value === NONE || target.value === NONE)) other.checked = false;
    this.show();
  }

  private show(): void {
    const letters = this.inputs.filter((one) => one.checked).map(letterOf);
    this.textContent = letters.length ? `Chosen: ${listed(letters)}` : "Nothing is chosen yet";
  }
}

const letterOf = (input: HTMLInputElement): string =>
  input.closest("label")?.querySelector("kbd")?.textContent?.trim() ?? input.value;

/** "B", "B and D", "A, B and D". */
export const listed = (words: readonly string[]): string =>
  [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(" and ");
