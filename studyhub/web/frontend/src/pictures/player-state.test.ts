import { expect, test, vi } from "vitest";
import { button, line, player, press, servePictures, service, settled } from "./player-page";

servePictures();

test("a link opens the very state: step, numbers, seed and what is pointed at", async () => {
  history.replaceState(
    null,
    "",
    "/topics/x/?picture=saturation&step=sweep&d_head=128&divisor=8&seed=7&at=2.1",
  );
  const element = await player("saturation");
  expect(service.posted[0]).toMatchObject({ parameters: { d_head: 128, divisor: "8" }, seed: 7 });
  expect(element.querySelector(".series__plot")?.getAttribute("aria-valuetext")).toContain("d_head 32");
});

test("L copies the address of the state", async () => {
  const written = vi.fn(async (_text: string) => {});
  vi.stubGlobal("navigator", { clipboard: { writeText: written } });
  const element = await player("saturation");
  press(element.querySelector(".series__plot"), "ArrowRight");
  press(line(element), "l");
  await settled();
  expect(new URL(String(written.mock.calls[0]?.[0])).search).toBe("?picture=saturation&step=sweep&at=0.0");
});

test("only what the page lets change has a field, and a change asks for the picture of the new numbers", async () => {
  const element = await player("saturation");
  expect([...element.querySelectorAll("[name]")].map((one) => one.getAttribute("name"))).toEqual([
    "d_head",
    "divisor",
  ]);
  const field = element.querySelector<HTMLInputElement>("[name=d_head]");
  expect(field?.value).toBe("64");
  if (field) field.value = "256";
  field?.dispatchEvent(new Event("change", { bubbles: true }));
  await settled();
  expect(service.posted.at(-1)?.parameters).toEqual({ d_head: 256 });
});

test("X goes to the first field that may be changed", async () => {
  const element = await player("saturation");
  press(line(element), "x");
  expect(document.activeElement?.getAttribute("name")).toBe("d_head");
});

test("an engine updated in between is asked again by itself", async () => {
  service.failure = { code: "invalid-spec", sentence: "engine 1 drew this; here is 2: ask again" };
  const element = await player();
  expect([service.posted.length, element.dataset.phase]).toEqual([2, "drawn"]);
});

test("a picture that failed says why and offers another try", async () => {
  service.failure = { code: "no-worker", sentence: "No worker took this picture." };
  const element = await player();
  expect(element.querySelector(".picture__stamp")?.textContent).toContain("No worker took this picture.");
  button(element, "Try again")?.click();
  await settled();
  expect(element.dataset.phase).toBe("drawn");
});
