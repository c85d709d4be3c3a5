/** Colours and gradients of a canvas. */

/** Number of precomputed colours of a gradient. */
const STEPS = 256;

/** @typedef {[number, number, number, number]} Rgba 0..255, not premultiplied */

/**
 * Parses a CSS colour.
 * @param {string} text '#rgb', '#rrggbb', 'rgb(r, g, b)' or 'rgba(r, g, b, a)'
 * @returns {Rgba} black for any other text
 */
export function parseColor(text) {
  if (text[0] === '#') {
    const hex =
      text.length === 4 ? [...text.slice(1)].map((digit) => digit + digit).join('') : text.slice(1);
    const number = parseInt(hex, 16) || 0;
    return [(number >> 16) & 255, (number >> 8) & 255, number & 255, 255];
  }
  const numbers = text.match(/[\d.]+/g)?.map(Number) ?? [];
  const [r = 0, g = 0, b = 0, a = 1] = numbers;
  return [r, g, b, a * 255];
}

/** A CanvasGradient. The colour of a point is looked up in a table of steps. */
export class Gradient {
  /** @type {{at: number, color: Rgba}[]} */
  #stops = [];
  /** @type {Uint8Array | undefined} premultiplied */
  #steps;
  #circle;
  #geometry;

  /** @param {boolean} circle whether it is radial @param {number[]} geometry x0, y0, (r0,) x1, y1 (, r1) */
  constructor(circle, geometry) {
    this.#circle = circle;
    this.#geometry = geometry;
  }

  /** Adds a colour. @param {number} at 0..1 @param {string} color */
  addColorStop(at, color) {
    this.#stops.push({ at, color: parseColor(color) });
    this.#steps = undefined;
  }

  /** The colours of the steps. @returns {Uint8Array} r, g, b, a of each, premultiplied */
  get steps() {
    return (this.#steps ??= this.#mix());
  }

  #mix() {
    const stops = [...this.#stops].sort((p, q) => p.at - q.at);
    const steps = new Uint8Array(STEPS * 4);
    for (let i = 0; i < STEPS; i++) {
      const at = i / (STEPS - 1);
      const next = stops.findIndex((stop) => stop.at >= at);
      const to = stops[next < 0 ? stops.length - 1 : next];
      const from = stops[Math.max(0, (next < 0 ? stops.length : next) - 1)] ?? to;
      const share =
        to.at > from.at ? Math.min(1, Math.max(0, (at - from.at) / (to.at - from.at))) : 1;
      const [r, g, b, a] = to.color.map(
        (value, k) => from.color[k] + (value - from.color[k]) * share,
      );
      steps.set([(r * a) / 255 + 0.5, (g * a) / 255 + 0.5, (b * a) / 255 + 0.5, a + 0.5], i * 4);
    }
    return steps;
  }

  /**
   * Makes a function that returns the step of a point in the coordinates of the gradient.
   * @returns {(x: number, y: number) => number} -1 for a point without a colour
   */
  lookup() {
    const last = STEPS - 1;
    /** @param {number} t */
    const step = (t) => (t <= 0 ? 0 : t >= 1 ? last : (t * last + 0.5) | 0);
    if (!this.#circle) {
      const [x0, y0, x1, y1] = this.#geometry;
      const square = (x1 - x0) ** 2 + (y1 - y0) ** 2 || 1;
      const [kx, ky] = [(x1 - x0) / square, (y1 - y0) / square];
      return (x, y) => step((x - x0) * kx + (y - y0) * ky);
    }
    const [x0, y0, r0, x1, y1, r1] = this.#geometry;
    const [dx, dy, dr] = [x1 - x0, y1 - y0, r1 - r0];
    if (dx === 0 && dy === 0) {
      const k = 1 / (dr || 1);
      return (x, y) => step((Math.sqrt((x - x0) * (x - x0) + (y - y0) * (y - y0)) - r0) * k);
    }
    // The circle with centre c(t) and radius r(t) passes through the point if a t² - 2 b t + c = 0.
    const a = dx * dx + dy * dy - dr * dr;
    return (x, y) => {
      const [px, py] = [x - x0, y - y0];
      const b = px * dx + py * dy + r0 * dr;
      const c = px * px + py * py - r0 * r0;
      if (a === 0) return b === 0 ? -1 : step(c / (2 * b));
      const root = b * b - a * c;
      if (root < 0) return -1;
      const far = (b + Math.sqrt(root)) / a;
      const near = (b - Math.sqrt(root)) / a;
      const [max, min] = far > near ? [far, near] : [near, far];
      return r0 + max * dr >= 0 ? step(max) : r0 + min * dr >= 0 ? step(min) : -1;
    };
  }
}
