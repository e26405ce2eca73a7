import { beforeEach, describe, expect, test } from "vitest";
import { Following, type Listener, type Tools } from "./stream";
import type { Frame, Polled } from "./types";

/** An EventSource that does what the test says. */
class Source extends EventTarget {
  readyState = 1;
  closed = false;
  constructor(readonly url: string) {
    super();
  }
  close() {
    this.closed = true;
  }
  send(type: string, data: unknown, lastEventId = "") {
    this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data), lastEventId }));
  }
  break(readyState = 0) {
    this.readyState = readyState;
    this.dispatchEvent(new Event("error"));
  }
}

const frame = (n: number) => ({ n, step: `step ${n}` }) as Frame;

let sources: Source[];
let heard: string[];
let polls: string[];
let answers: (Polled | Error)[];
let timers: { task: () => void; ms: number }[];

const listener: Listener = {
  frame: ({ n }) => heard.push(`frame ${n}`),
  reset: () => heard.push("reset"),
  done: () => heard.push("done"),
  failed: ({ code }) => heard.push(`failed ${code}`),
  absent: () => heard.push("absent"),
};

const tools: Tools = {
  open: (url) => {
    const source = new Source(url);
    sources.push(source);
    return source as unknown as EventSource;
  },
  poll: async (_url, after) => {
    polls.push(after);
    const answer = answers.shift() ?? { state: "running", frames: [] };
    if (answer instanceof Error) throw answer;
    return answer as Polled;
  },
  later: (task, ms) => timers.push({ task, ms }),
  cancel: (timer) => {
    if (timer) timers[timer - 1] = { task: () => {}, ms: -1 };
  },
};

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
const follow = (stream = "/stream") => new Following({ stream, poll: "/poll" }, listener, tools).start();

beforeEach(() => {
  sources = [];
  heard = [];
  polls = [];
  answers = [];
  timers = [];
});

describe("following by events", () => {
  test("frames are told in order and done closes the stream", () => {
    follow();
    sources[0]?.send("frame", frame(0), "1-0");
    sources[0]?.send("frame", frame(1), "1-1");
    sources[0]?.send("done", { frames: 2 });
    expect(heard).toEqual(["frame 0", "frame 1", "done"]);
    expect(sources[0]?.closed).toBe(true);
  });

  test("a reset forgets, then the new attempt's frames come", () => {
    follow();
    sources[0]?.send("frame", frame(0), "1-0");
    sources[0]?.send("reset", {});
    sources[0]?.send("frame", frame(0), "2-0");
    expect(heard).toEqual(["frame 0", "reset", "frame 0"]);
  });

  test("a failure ends with its reason and later events are not heard", () => {
    follow();
    sources[0]?.send("failed", { code: "no-worker", sentence: "No worker took it." });
    sources[0]?.send("frame", frame(0), "1-0");
    expect(heard).toEqual(["failed no-worker"]);
  });

  test("a break that the browser mends is left to the browser", async () => {
    follow();
    sources[0]?.break();
    sources[0]?.break();
    sources[0]?.send("frame", frame(0), "1-0");
    sources[0]?.break();
    await settled();
    expect(polls).toEqual([]);
    expect(heard).toEqual(["frame 0"]);
  });

  test("stopping closes the stream and silences it", () => {
    follow().stop();
    sources[0]?.send("frame", frame(0), "1-0");
    expect(heard).toEqual([]);
    expect(sources[0]?.closed).toBe(true);
  });
});

describe("falling back to polling", () => {
  test("a closed stream is polled on from the last event that came", async () => {
    follow();
    sources[0]?.send("frame", frame(0), "1-0");
    answers = [{ state: "done", frames: [{ id: "1-1", frame: frame(1) }] }];
    sources[0]?.break(2);
    await settled();
    expect(polls).toEqual(["1-0"]);
    expect(heard).toEqual(["frame 0", "frame 1", "done"]);
  });

  test("three breaks without an event change to polling", async () => {
    follow();
    for (let n = 0; n < 3; n++) sources[0]?.break();
    await settled();
    expect(polls).toEqual([""]);
    expect(sources[0]?.closed).toBe(true);
  });

  test("a running picture is polled again after the time the server asks for", async () => {
    answers = [
      { state: "running", frames: [{ id: "1-0", frame: frame(0) }], retry_after_ms: 250 },
      { state: "done", frames: [] },
    ];
    follow("");
    await settled();
    const next = timers.find(({ ms }) => ms === 250);
    next?.task();
    await settled();
    expect(polls).toEqual(["", "1-0"]);
    expect(heard).toEqual(["frame 0", "done"]);
  });

  test("silence is looked behind once, and held-back frames change to polling", async () => {
    follow();
    answers = [
      { state: "running", frames: [{ id: "1-0", frame: frame(0) }] },
      { state: "done", frames: [{ id: "1-0", frame: frame(0) }] },
    ];
    timers.at(-1)?.task();
    await settled();
    await settled();
    expect(sources[0]?.closed).toBe(true);
    expect(heard).toEqual(["frame 0", "done"]);
  });

  test("silence of a stream that holds nothing back keeps the stream", async () => {
    follow();
    timers.at(-1)?.task();
    await settled();
    expect(sources[0]?.closed).toBe(false);
  });

  test("an absent picture is said to be absent, not failed", async () => {
    answers = [{ state: "absent", frames: [] }];
    follow("");
    await settled();
    expect(heard).toEqual(["absent"]);
  });

  test("a service that stays away ends in a failure after six tries", async () => {
    answers = Array.from({ length: 9 }, () => new Error("The service cannot be reached."));
    follow("");
    await settled();
    for (let n = 0; n < 8; n++) {
      timers.at(-1)?.task();
      await settled();
    }
    expect(polls).toHaveLength(6);
    expect(heard).toEqual(["failed unreachable"]);
  });
});
