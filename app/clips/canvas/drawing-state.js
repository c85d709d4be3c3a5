/** The state of the software canvas's drawing context: styles, transform, path and clip region. */
import { Path } from './path.js';
import { Styles } from './styles.js';

/** @typedef {import('./path.js').Matrix} Matrix */

const IDENTITY = /** @type {Matrix} */ (Object.freeze([1, 0, 0, 1, 0, 0]));

/** @extends {Styles<import('./paint.js').Gradient>} */
export class DrawingState extends Styles {
  path = new Path();
  matrix = IDENTITY;
  /** @type {import('./raster.js').Box | undefined} */
  clipBox = undefined;

  /** @param {import('./canvas.js').Canvas} canvas */
  constructor(canvas) {
    super({ matrix: IDENTITY, clipBox: undefined });
    this.canvas = canvas;
  }

  /** Resets the whole state. */
  reset() {
    super.reset();
    this.path.clear();
  }

  // Transforms.

  /** @param {Matrix} matrix */
  setTransform(...matrix) {
    this.matrix = matrix;
  }
  /** Multiplies the transform by another one, which is applied first. @param {Matrix} matrix */
  transform(...[a, b, c, d, e, f]) {
    const [p, q, r, s, x, y] = this.matrix;
    this.matrix = [
      p * a + r * b,
      q * a + s * b,
      p * c + r * d,
      q * c + s * d,
      p * e + r * f + x,
      q * e + s * f + y,
    ];
  }
  /** @param {number} x @param {number} y */
  translate(x, y) {
    this.transform(1, 0, 0, 1, x, y);
  }
  /** @param {number} x @param {number} y */
  scale(x, y) {
    this.transform(x, 0, 0, y, 0, 0);
  }
  /** @param {number} radians */
  rotate(radians) {
    const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
    this.transform(cos, sin, -sin, cos, 0, 0);
  }

  // Paths.

  beginPath() {
    this.path.clear();
  }
  closePath() {
    this.path.close();
  }
  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.path.move(this.matrix, x, y);
  }
  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.path.line(this.matrix, x, y);
  }
  /** @param {number} x @param {number} y @param {number} r @param {number} from @param {number} to */
  arc(x, y, r, from, to) {
    this.path.ellipse(this.matrix, x, y, r, r, 0, from, to);
  }
  /** @param {number} x @param {number} y @param {number} rx @param {number} ry
   * @param {number} rotation @param {number} from @param {number} to */
  ellipse(x, y, rx, ry, rotation, from, to) {
    this.path.ellipse(this.matrix, x, y, rx, ry, rotation, from, to);
  }
  /** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {number} r */
  arcTo(x1, y1, x2, y2, r) {
    this.path.corner(this.matrix, x1, y1, x2, y2, r);
  }
  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  rect(x, y, width, height) {
    this.moveTo(x, y);
    this.lineTo(x + width, y);
    this.lineTo(x + width, y + height);
    this.lineTo(x, y + height);
    this.closePath();
  }
  /** Restricts drawing to the path, which must be an axis-aligned rectangle. */
  clip() {
    const xs = this.path.polygons.flatMap((points) => points.filter((_, i) => i % 2 === 0));
    const ys = this.path.polygons.flatMap((points) => points.filter((_, i) => i % 2 === 1));
    const now = this.clipped;
    this.clipBox = {
      x0: Math.max(now.x0, Math.round(Math.min(...xs))),
      y0: Math.max(now.y0, Math.round(Math.min(...ys))),
      x1: Math.min(now.x1, Math.round(Math.max(...xs))),
      y1: Math.min(now.y1, Math.round(Math.max(...ys))),
    };
  }
  /** The clip region, px. */
  get clipped() {
    return this.clipBox ?? { x0: 0, y0: 0, x1: this.canvas.width, y1: this.canvas.height };
  }
}
