/** "Nearest that divide" and "Try another" beside an executed answer: run in place, without a new page. */
import { StudyPicture } from "../pictures/player";
import { NOT_WHOLE, wholeNumber } from "../pictures/try";

/** The picture that a value is tried in: what the learner ran, else the only one. */
const pictureOf = (foot: Element): StudyPicture | null => {
  const all = foot.closest(".result")?.querySelectorAll('study-picture[kind="answer_executed"]') ?? [];
  return ([...all].find((one) => one.getAttribute("role-name") === "yours") ??
    all[0] ??
    null) as StudyPicture | null;
};

function run(foot: Element, value: number): boolean {
  const picture = pictureOf(foot);
  if (!(picture instanceof StudyPicture) || !Number.isInteger(value) || value < 1) return false;
  picture.retry({ num_heads: value });
  for (const chip of foot.querySelectorAll<HTMLAnchorElement>("a.chip"))
    chip.toggleAttribute("aria-current", triedBy(chip) === value);
  return true;
}

/** Runs what was typed; what is no whole number is told so beside the field, as the service does. */
function submit(event: Event, foot: Element): void {
  const field = foot.querySelector<HTMLInputElement>('[name="try"]');
  if (!field) return;
  const value = wholeNumber(field.value);
  const note = foot.querySelector(".result__untried");
  field.setAttribute("aria-invalid", String(value === null));
  if (note) note.textContent = value === null ? NOT_WHOLE : "";
  if (value === null || run(foot, value)) event.preventDefault();
}

const triedBy = (chip: HTMLAnchorElement): number => Number(new URL(chip.href).searchParams.get("try"));

export function startTrying(root: Document = document): void {
  for (const foot of root.querySelectorAll(".result__foot")) {
    foot.addEventListener("click", (event) => {
      const chip = (event.target as Element).closest<HTMLAnchorElement>("a.chip");
      if (
        chip &&
        !(event as MouseEvent).ctrlKey &&
        !(event as MouseEvent).metaKey &&
        run(foot, triedBy(chip))
      )
        event.preventDefault();
    });
    foot.querySelector("form")?.addEventListener("submit", (event) => submit(event, foot));
  }
}
