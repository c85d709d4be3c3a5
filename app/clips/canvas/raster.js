/**
 * Fills polygons with anti-aliased edges. Each edge adds to a buffer the area of each pixel that lies to its right,
 * with a sign: downward edges add, upward edges subtract. The running sum along a row is the coverage. Font rasterisers
 * use this method (Raph Levien, font-rs; Sean Barrett, stb_truetype version 2): the areas are exact, and the time is
 * proportional to the size of the bounding box. Overlapping parts of the same direction fill by the nonzero rule.
 */

/** Smaller coverages are invisible. */
const MIN_COVERAGE = 1 / 512;

/** @typedef {{x0: number, y0: number, x1: number, y1: number}} Box whole px, x1 and y1 excluded */

export class Raster {
  #sums = new Float32Array(0);
  #width = 0;
  /** For each row of the box, the first and the last pixel that an edge touches. */
  #from = new Int32Array(0);
  #to = new Int32Array(0);
  #row = new Float32Array(0);

  /**
   * Computes the coverage of polygons.
   * @param {number[][]} polygons each x, y, x, y ...; the last point is connected to the first one
   * @param {Box} clip
   * @param {(y: number, x0: number, x1: number, coverage: Float32Array) => void} span called for each row with the
   *   coverage of its pixels from x0 on, 0..1; the array is reused
   */
  fill(polygons, clip, span) {
    const box = boxOf(polygons, clip);
    const width = box.x1 - box.x0;
    const height = box.y1 - box.y0;
    if (width <= 0 || height <= 0) return;
    this.#prepare(width, height);
    for (const points of polygons) {
      let px = points[points.length - 2] - box.x0;
      let py = points[points.length - 1] - box.y0;
      for (let i = 0; i < points.length; i += 2) {
        const x = points[i] - box.x0;
        const y = points[i + 1] - box.y0;
        this.#edge(px, py, x, y, width, height);
        px = x;
        py = y;
      }
    }
    const row = this.#row;
    const sums = this.#sums;
    for (let y = 0; y < height; y++) {
      const from = this.#from[y];
      if (from >= width) continue;
      const at = y * this.#width;
      const to = this.#to[y];
      let sum = 0;
      let last = -1;
      for (let x = from; x <= to; x++) {
        sum += sums[at + x];
        sums[at + x] = 0;
        const cover = sum < 0 ? -sum : sum;
        row[x - from] = cover > 1 ? 1 : cover < MIN_COVERAGE ? 0 : cover;
        if (cover >= MIN_COVERAGE) last = x;
      }
      const rest = Math.min(1, Math.abs(sum));
      if (rest >= MIN_COVERAGE && to < width) {
        row.fill(rest, to + 1 - from, width - from); // the right edge is outside the box
        last = width - 1;
      }
      if (last >= 0) {
        const end = last < width ? last : width - 1;
        if (end >= from) span(y + box.y0, from + box.x0, end + 1 + box.x0, row);
      }
    }
  }

  /** Makes the buffers large enough. @param {number} width @param {number} height */
  #prepare(width, height) {
    this.#width = width + 2; // an edge at the right border writes one pixel beyond it
    const cells = this.#width * height;
    if (this.#sums.length < cells) this.#sums = new Float32Array(Math.ceil(cells * 1.25));
    if (this.#from.length < height) {
      this.#from = new Int32Array(height);
      this.#to = new Int32Array(height);
    }
    if (this.#row.length < this.#width) this.#row = new Float32Array(this.#width);
    this.#from.fill(width, 0, height);
    this.#to.fill(-1, 0, height);
  }

  /**
   * Adds an edge.
   * @param {number} ax @param {number} ay @param {number} bx @param {number} by px in the box
   * @param {number} width @param {number} height of the box
   */
  #edge(ax, ay, bx, by, width, height) {
    if (ay === by) return;
    const sign = ay < by ? 1 : -1;
    if (sign < 0) {
      [ax, ay, bx, by] = [bx, by, ax, ay];
    }
    const slope = (bx - ax) / (by - ay);
    if (by <= 0 || ay >= height) return;
    let x = ax;
    if (ay < 0) {
      x -= ay * slope;
      ay = 0;
    }
    const end = by < height ? by : height;
    for (let y = Math.floor(ay); y < end; y++) {
      const top = y > ay ? y : ay;
      const bottom = y + 1 < end ? y + 1 : end;
      const next = x + slope * (bottom - top);
      this.#strip(y, (bottom - top) * sign, x, next, width);
      x = next;
    }
  }

  /**
   * Adds the part of an edge within one row of pixels.
   * @param {number} y @param {number} area its signed height
   * @param {number} xa @param {number} xb where it enters and leaves the row
   * @param {number} width of the box
   */
  #strip(y, area, xa, xb, width) {
    const sums = this.#sums;
    const at = y * this.#width;
    let x0 = xa < xb ? xa : xb;
    let x1 = xa < xb ? xb : xa;
    // An edge left of the box covers the whole row, one right of it nothing.
    if (x0 < 0) x0 = 0;
    if (x1 < 0) x1 = 0;
    if (x0 >= width) return;
    if (x1 > width) x1 = width;
    const first = Math.floor(x0);
    if (first < this.#from[y]) this.#from[y] = first;
    const rim = Math.ceil(x1);
    const reach = rim > first + 1 ? rim : first + 1;
    if (reach > this.#to[y]) this.#to[y] = reach;
    if (rim <= first + 1) {
      const middle = (x0 + x1) / 2 - first;
      sums[at + first] += area * (1 - middle);
      sums[at + first + 1] += area * middle;
      return;
    }
    const each = 1 / (x1 - x0);
    const left = 1 - (x0 - first);
    const head = 0.5 * each * left * left;
    const right = x1 - rim + 1;
    const tail = 0.5 * each * right * right;
    sums[at + first] += area * head;
    if (rim === first + 2) {
      sums[at + first + 1] += area * (1 - head - tail);
    } else {
      const second = each * (1.5 - (x0 - first));
      sums[at + first + 1] += area * (second - head);
      for (let x = first + 2; x < rim - 1; x++) sums[at + x] += area * each;
      const before = second + (rim - first - 3) * each;
      sums[at + rim - 1] += area * (1 - before - tail);
    }
    sums[at + rim] += area * tail;
  }
}

/**
 * Returns the bounding box of polygons within a clip region.
 * @param {number[][]} polygons @param {Box} clip @returns {Box}
 */
function boxOf(polygons, clip) {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const points of polygons) {
    for (let i = 0; i < points.length; i += 2) {
      if (points[i] < x0) x0 = points[i];
      if (points[i] > x1) x1 = points[i];
      if (points[i + 1] < y0) y0 = points[i + 1];
      if (points[i + 1] > y1) y1 = points[i + 1];
    }
  }
  return {
    x0: Math.max(clip.x0, Math.floor(x0)),
    y0: Math.max(clip.y0, Math.floor(y0)),
    x1: Math.min(clip.x1, Math.ceil(x1)),
    y1: Math.min(clip.y1, Math.ceil(y1)),
  };
}
