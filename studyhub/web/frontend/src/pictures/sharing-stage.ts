/** The large drawing: bundles of query heads, a latent, or a learner's own number; says which head is pointed at. Knows no player. */
import { inks, onThemeChange } from "./palette";
import { BUNDLES_HEIGHT, type Bundles, drawBundles, headAt } from "./sharing-draw";
import { groupOf, pairsOf, type Sharing, type Step, spokenRange } from "./sharing-facts";
import { drawLatent, LATENT_HEIGHT, type Latent, latentHeadAt } from "./sharing-latent";
import { Surface } from "./surface";
import { count, plural } from "./words";

export class Stage {
  readonly surface = new Surface("Query heads and the pairs they read", () => this.draw());
  readonly element = this.surface.element;
  private readonly unwatch = onThemeChange(() => this.draw());
  private sharing: Sharing | null = null;
  private step: Step | "answer" = "gqa";
  private followed = 0;

  constructor(follow: (head: number) => void) {
    const { canvas } = this.surface;
    canvas.tabIndex = 0;
    canvas.setAttribute("data-arrows", "");
    const pointed = (event: PointerEvent) => {
      const head = this.headUnder(this.surface.place(event).x);
      if (head >= 0 && head !== this.followed) follow(head);
    };
    canvas.addEventListener("pointermove", (event) => event.pointerType === "mouse" && pointed(event));
    canvas.addEventListener("pointerdown", pointed);
  }

  show(sharing: Sharing, step: Step | "answer", followed: number): void {
    this.sharing = sharing;
    this.step = step;
    this.followed = followed;
    this.draw();
  }

  dispose(): void {
    this.unwatch();
    this.surface.dispose();
  }

  private headUnder(x: number): number {
    const { sharing, step, surface } = this;
    if (!sharing) return -1;
    if (step === "mla") return latentHeadAt(latentOf(sharing, this.followed), surface.width, x);
    return headAt(bundlesOf(sharing, step, this.followed), surface.width, x);
  }

  private draw(): void {
    const { sharing, step, followed, surface } = this;
    if (!sharing) return;
    const latent = step === "mla";
    const context = surface.begin(latent ? LATENT_HEIGHT : BUNDLES_HEIGHT);
    surface.describe(spoken(sharing, step, followed));
    if (!context) return;
    const across = surface.width;
    surface.write(
      latent
        ? drawLatent(context, latentOf(sharing, followed), across, inks())
        : drawBundles(context, bundlesOf(sharing, step, followed), across, inks()),
    );
  }
}

export function bundlesOf(
  sharing: Sharing,
  step: Exclude<Step, "mla"> | "answer",
  followed: number,
): Bundles {
  const { answer, heads } = sharing;
  if (step !== "answer" || !answer)
    return { heads, pairs: pairsOf(sharing, step as Step), followed, left: 0 };
  // Of more pairs than query heads none has a whole head: all of them are left without one.
  return answer.size === 0
    ? { heads, pairs: 1, followed, left: heads }
    : { heads, pairs: answer.kv_heads, followed, left: answer.left_over };
}

const latentOf = (
  { heads, rank, rope, d_model, d_head, d_head_v, own }: Sharing,
  followed: number,
): Latent => ({
  heads,
  followed,
  rank,
  rope,
  d_model,
  d_head,
  d_head_v,
  own: own === "mla",
});

/** What the followed head reads, in a sentence without colour. */
export function reads(sharing: Sharing, step: Step | "answer", followed: number): string {
  const { heads, answer } = sharing;
  if (step === "mla")
    return `Query head ${followed} rebuilds its own K and V from the latent of ${count(sharing.rank)}; the rotary key of ${count(sharing.rope)} is the same for all ${plural(heads, "head")}. ${turned(sharing)}`;
  const { pairs, left } = bundlesOf(sharing, step, followed);
  if (step === "answer" && answer?.size === 0)
    return `${plural(answer.kv_heads, "pair")} for ${plural(heads, "query head")}: a pair would have no whole head.`;
  if (followed >= heads - left) return `Query head ${followed} reads no pair: ${count(left)} are left over.`;
  const { pair, first, last } = groupOf(followed, heads - left, pairs);
  const one = first === last;
  const who = one ? `Query head ${first}` : `Query heads ${spokenRange(first, last)}`;
  const read = step === "answer" && !answer?.works ? "would read" : one ? "reads" : "read";
  return `${who} ${read} pair kv ${pair}.`;
}

/** Decoupled RoPE: which features of a query and key know their position. */
const turned = ({ own, d_head, rope }: Sharing): string =>
  own === "mla"
    ? `Of the ${count(d_head)} features of a query ${count(rope)} are turned by position, ${count(d_head - rope)} are not.`
    : `It stands beside the ${count(d_head)} features of a head, and it alone is turned by position.`;

const spoken = (sharing: Sharing, step: Step | "answer", followed: number): string =>
  `${plural(sharing.heads, "query head")}. ${reads(sharing, step, followed)}`;
