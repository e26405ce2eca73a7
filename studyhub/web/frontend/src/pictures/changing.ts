/** What a reader may change of a picture: "Try another" with its nearest values, and the fields of its kind. */
import { type Edit, Edits } from "./edits";
import type { Host } from "./scene";
import type { Session } from "./session";
import type { Shell } from "./shell";
import { TryAnother } from "./try";
import type { Parameters } from "./types";

/** The value that has chips of its own, told by the facts. */
const CHIPPED = "num_heads";
/** What a page may let a reader change of any kind. */
const MODEL: Edit = { name: "model", label: "Model", takes: "model" };
const SEED: Edit = { name: "seed", label: "Seed", takes: "number", least: 0 };

export class Changing {
  private readonly chips: TryAnother | null;
  private readonly fields: Edits | null;
  private first: Parameters | undefined;

  /** `allowed` are the parameters that this page lets change, of those that the kind has fields for;
   * `values` is what they are where the picture's own parameters leave them out. */
  constructor(
    private readonly allowed: readonly string[],
    private readonly values: Parameters,
    { edits, host }: { edits: readonly Edit[]; host: Host },
  ) {
    const offered = [MODEL, ...edits, SEED].filter(({ name }) => allowed.includes(name));
    const shown = offered.filter(({ chips }) => !chips);
    this.chips = shown.length < offered.length ? new TryAnother(CHIPPED, host) : null;
    this.fields = shown.length > 0 ? new Edits(shown, (changes) => host.retry(changes)) : null;
  }

  /** Chips stand in the foot beside the prediction, fields over the picture. */
  mount(shell: Shell): void {
    if (this.chips) shell.end.before(this.chips.element);
    if (this.fields) shell.edits.append(this.fields.element);
    shell.edits.hidden = !this.fields;
  }

  show(session: Session, shell: Shell): void {
    this.chips?.show(session.facts);
    const { spec, facts, complete } = session;
    this.fields?.show(spec.parameters, facts, this.values, { ...complete, seed: spec.seed });
    if (this.chips) shell.rename(session.facts[CHIPPED]);
    this.first ??= session.spec.parameters;
    shell.reword(this.changed(session.spec.parameters));
  }

  /** Whether a field holds another value than the page asked for: what the title says may be untrue then. */
  private changed(parameters: Parameters): boolean {
    const names = this.allowed.filter((name) => !this.chips || name !== CHIPPED);
    return names.some((name) => parameters[name] !== this.first?.[name]);
  }

  /** Says why a change was refused; false where there is no field to say it beside. */
  say(sentence: string): boolean {
    const place = this.fields ?? this.chips;
    place?.say(sentence);
    return place !== null;
  }

  /** Goes to the first field; false where nothing may be changed. */
  focus(): boolean {
    const place = this.fields ?? this.chips;
    place?.focus();
    return place !== null;
  }
}
