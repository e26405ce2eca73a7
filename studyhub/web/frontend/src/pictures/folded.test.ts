/** A picture in a section that is folded away asks for nothing until the section is opened. */
import { expect, test } from "vitest";
import { servePictures, service, settled } from "./player-page";

servePictures();

test("a picture in a folded section is asked for once the section is opened", async () => {
  document.body.innerHTML = `<details><summary>More</summary>
    <study-picture kind="kind_of_tomorrow" parameters="{}" title="What it does"></study-picture></details>`;
  await settled();
  expect(service.posted).toEqual([]);
  const section = document.querySelector("details") as HTMLDetailsElement;
  section.open = true;
  section.dispatchEvent(new Event("toggle"));
  await settled();
  expect(service.posted.length).toBe(1);
  expect(section.querySelector("study-picture")?.getAttribute("data-phase")).toBe("drawn");
});
