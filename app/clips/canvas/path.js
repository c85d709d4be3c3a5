/** Converts paths and their strokes to polygons. Curves become short line segments. */

/** Maximum distance between an arc and its segments, px. */
const MAX_DISTANCE = 0.1;
const TURN = Math.PI * 2;

/**
 * Returns the number of segments for an arc.
 * @param {number} radius px @param {number} turn radians @returns {number}
 */
function segmentsOf(radius, turn) {
  const step = radius > MAX_DISTANCE ? 2 * Math.acos(1 - MAX_DISTANCE / radius) : Math.PI / 2;
  return Math.max(3, Math.ceil(Math.abs(turn) / Math.min(step, Math.PI / 8)));
}

/** @typedef {[number, number, number, number, number, number]} Matrix a, b, c, d, e, f as setTransform() has them */

/** A path. Its points are in px: each is transformed when it is added. */
export class Path {
  /** @type {{points: number[], closed: boolean}[]} */
  parts = [];
  /** The last point before its transform, for arcTo(). @type {[number, number]} */
  #last = [0, 0];

  clear() {
    this.parts = [];
  }

  /** The last part. @returns {{points: number[], closed: boolean} | undefined} */
  get #current() {
    return this.parts.at(-1);
  }

  /** @param {Matrix} m @param {number} x @param {number} y */
  move(m, x, y) {
    this.parts.push({ points: [...apply(m, x, y)], closed: false });
    this.#last = [x, y];
  }

  /** @param {Matrix} m @param {number} x @param {number} y */
  line(m, x, y) {
    const part = this.#current;
    if (!part || part.closed) this.move(m, x, y);
    else part.points.push(...apply(m, x, y));
    this.#last = [x, y];
  }

  close() {
    const part = this.#current;
    if (part) part.closed = true;
  }

  /**
   * Adds an arc of an ellipse.
   * @param {Matrix} m
   * @param {number} x @param {number} y centre @param {number} rx @param {number} ry radii
   * @param {number} rotation @param {number} from @param {number} to radians
   */
  ellipse(m, x, y, rx, ry, rotation, from, to) {
    const turn = Math.min(TURN, Math.max(-TURN, to - from));
    const count = segmentsOf(Math.max(rx, ry) * scaleOf(m), turn);
    const [cos, sin] = [Math.cos(rotation), Math.sin(rotation)];
    const whole = Math.abs(turn) >= TURN - 1e-9;
    for (let i = 0; i <= count - (whole ? 1 : 0); i++) {
      const at = from + (turn * i) / count;
      const [u, v] = [Math.cos(at) * rx, Math.sin(at) * ry];
      this.line(m, x + u * cos - v * sin, y + u * sin + v * cos);
    }
    if (whole) this.close();
  }

  /**
   * Adds a rounded corner, like arcTo().
   * @param {Matrix} m @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2
   * @param {number} r
   */
  corner(m, x1, y1, x2, y2, r) {
    const [x0, y0] = this.#last;
    const [ax, ay] = unit(x0 - x1, y0 - y1);
    const [bx, by] = unit(x2 - x1, y2 - y1);
    const cos = ax * bx + ay * by;
    const cut = r / Math.sqrt((1 - cos) / (1 + cos)); // r / tan(half the angle)
    if (!(r > 0) || !Number.isFinite(cut)) return this.line(m, x1, y1);
    const middle = r / Math.sqrt((1 - cos) / 2);
    const [mx, my] = unit(ax + bx, ay + by);
    const [cx, cy] = [x1 + mx * middle, y1 + my * middle];
    const from = Math.atan2(y1 + ay * cut - cy, x1 + ax * cut - cx);
    const to = Math.atan2(y1 + by * cut - cy, x1 + bx * cut - cx);
    const turn = ((to - from + 3 * Math.PI) % TURN) - Math.PI;
    const count = segmentsOf(r * scaleOf(m), turn);
    for (let i = 0; i <= count; i++) {
      const at = from + (turn * i) / count;
      this.line(m, cx + Math.cos(at) * r, cy + Math.sin(at) * r);
    }
    this.#last = [x1 + bx * cut, y1 + by * cut];
  }

  /**
   * Adds a quadratic Bézier curve.
   * @param {Matrix} m @param {number} x0 @param {number} y0 start @param {number} cx @param {number} cy control point
   * @param {number} x @param {number} y end
   */
  curve(m, x0, y0, cx, cy, x, y) {
    const bend = (Math.hypot(cx - x0, cy - y0) + Math.hypot(x - cx, y - cy)) * scaleOf(m);
    const count = Math.max(2, Math.min(24, Math.ceil(Math.sqrt(bend))));
    for (let i = 1; i <= count; i++) {
      const t = i / count;
      const s = 1 - t;
      this.line(
        m,
        s * s * x0 + 2 * s * t * cx + t * t * x,
        s * s * y0 + 2 * s * t * cy + t * t * y,
      );
    }
  }

  /** The polygons that fill() covers. @returns {number[][]} */
  get polygons() {
    return this.parts.filter(({ points }) => points.length >= 6).map(({ points }) => points);
  }
}

/** Returns a vector with length 1. @param {number} x @param {number} y @returns {[number, number]} */
function unit(x, y) {
  const length = Math.hypot(x, y) || 1;
  return [x / length, y / length];
}

/** Transforms a point. @param {Matrix} m @param {number} x @param {number} y @returns {[number, number]} */
export function apply([a, b, c, d, e, f], x, y) {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** Returns the mean scale of a transform. @param {Matrix} m @returns {number} */
export function scaleOf([a, b, c, d]) {
  return Math.sqrt(Math.abs(a * d - b * c));
}

/**
 * Returns polygons that cover the stroke of a path. Joins are round; for thin lines, mitred joins look the same.
 * @param {Path} path @param {number} width px @param {boolean} roundEnds
 * @returns {number[][]}
 */
export function strokePolygons(path, width, roundEnds) {
  const r = width / 2;
  return path.parts.flatMap(({ points, closed }) => {
    const ring = closed && smoothRing(points, r);
    if (ring) return ring;
    const count = points.length / 2;
    const polygons = [];
    for (let i = 0; i < count - (closed ? 0 : 1); i++) {
      const k = (i + 1) % count;
      const quad = band(points[i * 2], points[i * 2 + 1], points[k * 2], points[k * 2 + 1], r);
      if (quad) polygons.push(quad);
      const inner = closed || i > 0;
      if (width > 1.5 && (inner || roundEnds))
        polygons.push(disc(points[i * 2], points[i * 2 + 1], r));
    }
    if (roundEnds && !closed && width > 1.5)
      polygons.push(disc(points[count * 2 - 2], points[count * 2 - 1], r));
    return polygons;
  });
}

/**
 * Returns the outer and the inner outline of a closed path without sharp corners: they are faster to fill and smoother
 * than a polygon for each segment.
 * @param {number[]} points @param {number} r @returns {number[][] | undefined}
 */
function smoothRing(points, r) {
  const count = points.length / 2;
  if (count < 8) return undefined;
  const outer = [];
  const inner = [];
  for (let i = 0; i < count; i++) {
    const p = ((i + count - 1) % count) * 2;
    const n = ((i + 1) % count) * 2;
    const ax = points[i * 2] - points[p];
    const ay = points[i * 2 + 1] - points[p + 1];
    const bx = points[n] - points[i * 2];
    const by = points[n + 1] - points[i * 2 + 1];
    const la = Math.hypot(ax, ay);
    const lb = Math.hypot(bx, by);
    if (la === 0 || lb === 0 || (ax * bx + ay * by) / (la * lb) < 0.5) return undefined;
    let nx = ay / la + by / lb;
    let ny = -(ax / la + bx / lb);
    const length = Math.hypot(nx, ny);
    nx /= length;
    ny /= length;
    outer.push(points[i * 2] + nx * r, points[i * 2 + 1] + ny * r);
    inner.unshift(points[i * 2] - nx * r, points[i * 2 + 1] - ny * r);
  }
  return [outer, inner];
}

/** Returns the rectangle of a segment. @param {number} ax @param {number} ay @param {number} bx @param {number} by
 * @param {number} r half the width of the stroke @returns {number[] | undefined} undefined for a segment of length 0 */
function band(ax, ay, bx, by, r) {
  const length = Math.hypot(bx - ax, by - ay);
  if (length === 0) return undefined;
  const nx = (-(by - ay) / length) * r;
  const ny = ((bx - ax) / length) * r;
  return [ax + nx, ay + ny, ax - nx, ay - ny, bx - nx, by - ny, bx + nx, by + ny];
}

/**
 * Returns a circle, in the same direction as band().
 * @param {number} x @param {number} y @param {number} r @returns {number[]}
 */
function disc(x, y, r) {
  const count = segmentsOf(r, TURN);
  const points = [];
  for (let i = 0; i < count; i++) {
    const at = (i * TURN) / count;
    points.push(x + Math.cos(at) * r, y + Math.sin(at) * r);
  }
  return points;
}
