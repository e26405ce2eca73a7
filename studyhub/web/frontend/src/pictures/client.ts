/** Talks to the service: asks for a picture, polls it, fetches tensors. Knows no DOM beyond the cookie. */
import { decode } from "./tensor";
import type { Polled, Requested, Spec, Tensor } from "./types";

/** An answer that is not the asked thing; `message` is a sentence for the learner. */
export class Problem extends Error {
  readonly status: number;
  readonly name_: string;
  constructor(status: number, name: string, sentence: string) {
    super(sentence);
    this.status = status;
    this.name_ = name;
  }
}

const OWN_WORDS: Record<number, string> = {
  0: "The service cannot be reached. Your answers are safe; try again in a moment.",
  401: "You are signed out. Sign in and the picture is drawn again.",
  403: "You are signed out. Sign in and the picture is drawn again.",
  404: "This picture has expired. Ask for it again.",
  429: "Three of your pictures are still being drawn. Wait for one of them, then try again.",
  503: "Pictures are not available now. Answering and rating go on without them.",
};

export function csrfToken(cookie = document.cookie): string {
  const found = cookie.split("; ").find((part) => part.startsWith("csrftoken="));
  return found ? decodeURIComponent(found.slice("csrftoken=".length)) : "";
}

/** The problem's own detail if the body is problem JSON, else our words for its status. */
async function problem(response: Response): Promise<Problem> {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const name = String(body.type ?? "")
    .split("/")
    .pop();
  const said = typeof body.detail === "string" && response.status !== 403 ? body.detail : "";
  const words = OWN_WORDS[response.status] ?? `The service answered ${response.status}. Try again.`;
  return new Problem(response.status, name ?? "", said || words);
}

async function ask(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, { credentials: "same-origin", ...options }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem(0, "unreachable", OWN_WORDS[0] ?? "");
  });
  if (!response.ok) throw await problem(response);
  return response;
}

/** Asks for a picture. The same spec twice is the same picture; facts come back at once. */
export async function requestVisualization(spec: Spec, signal?: AbortSignal): Promise<Requested> {
  const response = await ask("/api/v1/visualizations", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": csrfToken() },
    body: JSON.stringify({ kind: spec.kind, parameters: spec.parameters, seed: spec.seed }),
    signal: signal ?? null,
  });
  return (await response.json()) as Requested;
}

/** The frames after event `after` ("" = all of them). */
export async function poll(url: string, after: string, signal?: AbortSignal): Promise<Polled> {
  const address = new URL(url, location.href);
  if (after) address.searchParams.set("after", after);
  const response = await ask(address.href, {
    headers: { Accept: "application/json" },
    signal: signal ?? null,
  });
  return (await response.json()) as Polled;
}

const fetched = new Map<string, Promise<Float32Array>>();

/** A tensor's numbers. Content-addressed, so one fetch serves every frame that names it. */
export function fetchTensor(tensor: Tensor): Promise<Float32Array> {
  const known = fetched.get(tensor.sha256);
  if (known) return known;
  const loading = ask(`/api/v1/tensors/${tensor.sha256}`, { headers: { Accept: "*/*" } })
    .then((response) => response.arrayBuffer())
    .then((body) => decode(tensor, body));
  loading.catch(() => fetched.delete(tensor.sha256));
  fetched.set(tensor.sha256, loading);
  return loading;
}
