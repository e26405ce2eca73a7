/** A formula that the service wrote, built anew as MathML elements. Anything else in it makes it none. */

const MATHML = "http://www.w3.org/1998/Math/MathML";
const NAMES =
  /^(math|mrow|mi|mn|mo|mtext|mfrac|msqrt|mroot|msub|msup|msubsup|munder|mover|munderover|mtable|mtr|mtd|mspace|mstyle|mpadded)$/;
const ATTRIBUTES =
  /^(mathvariant|stretchy|fence|separator|form|lspace|rspace|width|displaystyle|linethickness|display)$/;

/** The `<math>` of a text; null where it holds none, or anything else within. */
export function mathOf(text: string): Element | null {
  const math = new DOMParser().parseFromString(text, "text/html").querySelector("math");
  return math && built(math);
}

function built(source: Element): Element | null {
  const name = source.localName.toLowerCase();
  if (!NAMES.test(name)) return null;
  const element = document.createElementNS(MATHML, name);
  for (const { name: attribute, value } of source.attributes)
    if (ATTRIBUTES.test(attribute)) element.setAttribute(attribute, value);
  for (const child of source.childNodes) {
    const made = child.nodeType === Node.ELEMENT_NODE ? built(child as Element) : child.textContent;
    if (made === null) return null;
    element.append(made);
  }
  return element;
}
