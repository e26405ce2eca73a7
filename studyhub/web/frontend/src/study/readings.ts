/** Asks the service how a text is read. Knows no element; never learns whether it is right. */
import { csrfToken } from "../pictures/client";

export interface Asked {
  card: string;
  version: number;
  seed: number;
  field: string;
  text: string;
}

export interface Reading {
  readAs: string;
  mathml: string;
}

/** What could not be read, and from which character (counted as the service does) on; -1 is nowhere. */
export interface Unread {
  reason: string;
  offset: number;
}

/** The reading, what could not be read, or null where the service says neither (signed out, too many, gone). */
export async function askReading(asked: Asked, signal: AbortSignal): Promise<Reading | Unread | null> {
  try {
    const response = await fetch("/api/v1/readings", {
      method: "POST",
      credentials: "same-origin",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json",
        "X-CSRFToken": csrfToken(),
      },
      body: JSON.stringify({
        card: asked.card,
        card_version: asked.version,
        variant_seed: asked.seed,
        field: asked.field,
        text: asked.text,
      }),
      signal,
    });
    const body = (await response.json()) as Record<string, unknown>;
    if (response.ok) return { readAs: String(body.read_as ?? ""), mathml: String(body.read_as_mathml ?? "") };
    return response.status === 422 ? unread(body) : null;
  } catch {
    return null;
  }
}

function unread(body: Record<string, unknown>): Unread | null {
  const [first] = Array.isArray(body.errors) ? (body.errors as Record<string, unknown>[]) : [];
  if (!first || typeof first.reason !== "string") return null;
  return { reason: first.reason, offset: typeof first.offset === "number" ? first.offset : -1 };
}
