import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Session } from "./session";
import type { Frame, State, Tensor } from "./types";

/** A service in a few lines: what it is asked, and what it answers by the beginning of the address. */
let asked: string[];
let answers: Record<string, (body: string) => Response>;

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
const requested = (state: State) =>
  json({ digest: "d", state, stream: "", poll: "/api/v1/visualizations/d", facts: { d_model: 768 } });
const frame = (n: number, tensors: Tensor[] = []) => ({ n, step: `step ${n}`, tensors }) as Frame;
const polled = (state: State, ...frames: Frame[]) =>
  json({ state, frames: frames.map((one) => ({ id: `1-${one.n}`, frame: one })) });
const tensor = (sha256: string) =>
  ({
    role: "values",
    shape: [2],
    encoding: "u8",
    minimum: 0,
    maximum: 255,
    packed: "none",
    sha256,
  }) as Tensor;

const settled = async () => {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setTimeout(resolve, 0));
};
const start = async () => {
  const session = new Session({ kind: "head_split", parameters: { num_heads: 12 }, seed: 0 }, () => {});
  void session.start();
  await settled();
  return session;
};

beforeEach(() => {
  asked = [];
  answers = {};
  // biome-ignore lint/suspicious/noDocumentCookie: the service hands its token over in a cookie
  document.cookie = "csrftoken=abc123";
  vi.stubGlobal("fetch", async (url: string, options: RequestInit = {}) => {
    const path = new URL(url, "http://study.test").pathname;
    const method = options.method ?? "GET";
    asked.push(`${method} ${path}`);
    const headers = new Headers(options.headers);
    if (method === "POST" && headers.get("X-CSRFToken") !== "abc123") return json({}, 403);
    const found = Object.keys(answers).find((start) => `${method} ${path}`.startsWith(start));
    if (!found) throw new TypeError("no network");
    return answers[found]?.(String(options.body ?? "")) ?? json({}, 500);
  });
});

afterEach(() => vi.unstubAllGlobals());

const ASK = "POST /api/v1/visualizations";
const POLL = "GET /api/v1/visualizations/d";

test("a finished picture is asked for once, with our token, and read in one go", async () => {
  let sent = "";
  answers[ASK] = (body) => {
    sent = body;
    return requested("done");
  };
  answers[POLL] = () => polled("done", frame(1), frame(0));
  const session = await start();
  expect(JSON.parse(sent)).toEqual({ kind: "head_split", parameters: { num_heads: 12 }, seed: 0 });
  expect(session.phase).toBe("drawn");
  expect(session.facts).toEqual({ d_model: 768 });
  expect(session.frames.map(({ n }) => n)).toEqual([0, 1]);
  expect(asked).toEqual([ASK, POLL]);
});

test("a refused request says the service's own sentence", async () => {
  answers[ASK] = () => json({ type: "/problems/invalid-config", detail: "10 does not divide 768" }, 422);
  const session = await start();
  expect(session.failure).toEqual({ code: "invalid-config", sentence: "10 does not divide 768" });
});

test("a service out of reach and a lost sign-in have sentences of their own", async () => {
  expect((await start()).failure?.sentence).toContain("cannot be reached");
  answers[ASK] = () => json({ detail: "Authentication credentials were not provided." }, 403);
  expect((await start()).failure?.sentence).toContain("signed out");
});

test("an expired picture is asked for again, but not for ever", async () => {
  answers[ASK] = () => requested("done");
  answers[POLL] = () => polled("absent");
  const session = await start();
  expect(session.phase).toBe("failed");
  expect(asked.filter((one) => one === ASK)).toHaveLength(3);
});

test("a tensor comes once for all who want it, and tells when it is there", async () => {
  const one = tensor("aa");
  answers[ASK] = () => requested("done");
  answers[POLL] = () => polled("done", frame(0, [one]));
  answers["GET /api/v1/tensors/aa"] = () => new Response(Uint8Array.from([7, 255]));
  const session = await start();
  expect(session.tensor(one)).toBeUndefined();
  session.tensor(one);
  await settled();
  expect([...(session.tensor(one) ?? [])]).toEqual([7, 255]);
  expect(asked.filter((path) => path.includes("tensors"))).toHaveLength(1);
});

test("an expired tensor has its whole picture asked for again", async () => {
  const one = tensor("bb");
  let expired = true;
  answers[ASK] = () => requested("done");
  answers[POLL] = () => polled("done", frame(0, [one]));
  answers["GET /api/v1/tensors/bb"] = () => (expired ? json({}, 404) : new Response(Uint8Array.from([1, 2])));
  const session = await start();
  session.tensor(one);
  await settled();
  expired = false;
  expect(asked.filter((path) => path === ASK)).toHaveLength(2);
  session.tensor(one);
  await settled();
  expect([...(session.tensor(one) ?? [])]).toEqual([1, 2]);
});

test("a stopped session stays silent", async () => {
  answers[ASK] = () => requested("done");
  answers[POLL] = () => polled("done", frame(0));
  const heard = vi.fn();
  const session = new Session({ kind: "head_split", parameters: {}, seed: 0 }, heard);
  void session.start();
  session.stop();
  await settled();
  expect(heard).not.toHaveBeenCalled();
});

test("while three of the learner's pictures are being drawn it waits and asks again by itself", async () => {
  vi.useFakeTimers();
  let times = 0;
  answers[ASK] = () =>
    times++ === 0
      ? json({ type: "/problems/queue-full", detail: "Three are being drawn." }, 429)
      : requested("done");
  answers[POLL] = () => polled("done", frame(0));
  const session = new Session({ kind: "head_split", parameters: { num_heads: 12 }, seed: 0 }, () => {});
  void session.start();
  await vi.advanceTimersByTimeAsync(2100);
  expect([times, session.phase, session.frames.length]).toEqual([2, "drawn", 1]);
  vi.useRealTimers();
});
