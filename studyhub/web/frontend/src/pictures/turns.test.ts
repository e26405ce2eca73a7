import { expect, test } from "vitest";
import { Turns } from "./turns";

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

test("the third waits until one of two is done, and a turn is given back once", async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  const ask = async (n: number) => {
    const release = await turns.take();
    begun.push(n);
    return release;
  };
  const [first] = await Promise.all([ask(1), ask(2)]);
  void ask(3);
  void ask(4);
  await settled();
  expect(begun).toEqual([1, 2]);
  first();
  first();
  await settled();
  expect(begun).toEqual([1, 2, 3]);
});
