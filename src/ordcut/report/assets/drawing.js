// HTML and SVG elements, colours in the order of the classes, and axis ticks.

/** An HTML element with attributes and children; strings among the children are never parsed. */
function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("--")) element.style.setProperty(name, value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

// Lightness increases throughout, so that the order survives colour blindness and grey printers.
const RAMP = [
  [68, 1, 84], [71, 47, 125], [59, 82, 139], [44, 114, 142], [33, 145, 140],
  [40, 174, 128], [94, 201, 98], [173, 220, 48], [253, 231, 37],
];

function rampColour(share) {
  const at = Math.min(share * (RAMP.length - 1), RAMP.length - 1.0001), first = Math.floor(at);
  const mixed = RAMP[first].map((from, i) => Math.round(from + (at - first) * (RAMP[first + 1][i] - from)));
  return `rgb(${mixed.join(" ")})`;
}

/** The colour of class k, or between two classes: dark on a light page, light on a dark one. */
function classColour(k) {
  const share = K > 1 ? k / (K - 1) : 0;
  return `light-dark(${rampColour(0.02 + 0.8 * share)}, ${rampColour(0.28 + 0.7 * share)})`;
}

/** The colour of decision d, or between two: that of the class of the same name in their order. */
const decisionColour = (d) => classColour(D > 1 ? (d * (K - 1)) / (D - 1) : 0);

/** Round numbers for an axis from low to high. */
function ticks(low, high, count) {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const marks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) {
    const text = Math.abs(i * step) >= 1e6 || step < 1e-6 ? shown(i * step, 3) : (i * step).toFixed(decimals);
    marks.push([i * step, text.replace("-", MINUS)]);
  }
  return marks;
}

/** Round numbers for a horizontal axis of some width in pixels: as many as have space, up to ten. */
function ticksAcross(low, high, width) {
  let marks = [];
  for (let count = 10; count > 0; count--) {
    marks = ticks(low, high, count);
    const widest = Math.max(...marks.map(([, text]) => text.length));
    if ((7 * widest + 12) * (marks.length - 1) <= (width * (marks.at(-1)[0] - marks[0][0])) / (high - low)) break;
  }
  return marks;
}

/** A name, shortened to `most` characters. */
function shortened(name, most) {
  if (most < 1) return "";
  return name.length <= most ? name : name.slice(0, Math.max(1, most - 1)) + "\u2026";
}

/** A name in one line, or in two lines that are divided at a space, each of at most `most` characters. */
function inTwoLines(name, most) {
  const space = name.lastIndexOf(" ", most);
  if (name.length <= most || space < 1) return [shortened(name, most)];
  return [name.slice(0, space), shortened(name.slice(space + 1), most)];
}

/** Return a function that does some work at the next frame, once however often it is called. */
function oncePerFrame(work) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      work();
    });
  };
}
