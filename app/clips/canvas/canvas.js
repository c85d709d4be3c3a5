/**
 * Implements the part of the Canvas 2D API that the screen's renderer uses, in software. The code of the page can thus
 * draw clips without a browser. Restrictions: clip regions are axis-aligned rectangles, joins are round, and there is
 * one typeface, in bold.
 */
import { blendSolid, blendSteps, copyPart, copyScaled } from './blend.js';
import { Gradient, parseColor } from './paint.js';
import { Path, apply, scaleOf, strokePolygons } from './path.js';
import { DrawingState } from './drawing-state.js';
import { Picture } from './picture.js';
import { Raster } from './raster.js';
import { addText, middleOf, textWidth } from './text.js';

/** @typedef {import('./path.js').Matrix} Matrix */

const raster = new Raster();

export class Canvas {
  #width = 300;
  #height = 150;
  /** @type {Context | undefined} */
  #context;
  pixels = new Uint8Array(this.#width * this.#height * 4);

  get width() {
    return this.#width;
  }
  set width(px) {
    this.#width = px;
    this.#clear();
  }
  get height() {
    return this.#height;
  }
  set height(px) {
    this.#height = px;
    this.#clear();
  }

  /** Clears the canvas. As in a browser, setting width or height always does this. */
  #clear() {
    this.pixels = new Uint8Array(this.#width * this.#height * 4);
    this.#context?.reset();
  }

  getContext() {
    return (this.#context ??= new Context(this));
  }
}

export class Context extends DrawingState {
  fill() {
    this.#cover(this.path.polygons, this.fillStyle);
  }
  stroke() {
    const width = this.lineWidth * scaleOf(this.matrix);
    const polygons = strokePolygons(this.path, width, this.lineCap === 'round');
    this.#cover(polygons, this.strokeStyle);
  }
  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) {
    const path = new Path();
    path.move(this.matrix, x, y);
    path.line(this.matrix, x + width, y);
    path.line(this.matrix, x + width, y + height);
    path.line(this.matrix, x, y + height);
    this.#cover(path.polygons, this.fillStyle);
  }
  /** Clears the whole canvas, whatever the arguments: the renderer clears nothing else. */
  clearRect() {
    this.canvas.pixels.fill(0);
  }

  /** Fills polygons with a style. @param {number[][]} polygons @param {string | Gradient} style */
  #cover(polygons, style) {
    const { pixels, width } = this.canvas;
    const alpha = this.globalAlpha;
    const lighter = this.globalCompositeOperation === 'lighter';
    if (style instanceof Gradient) {
      const { steps } = style;
      const lookup = style.lookup();
      const [a, b, c, d, e, f] = inverse(this.matrix);
      raster.fill(polygons, this.clipped, (y, x0, x1, coverage) => {
        const u = a * (x0 + 0.5) + c * (y + 0.5) + e;
        const v = b * (x0 + 0.5) + d * (y + 0.5) + f;
        const step = (/** @type {number} */ i) => lookup(u + a * i, v + b * i);
        const at = (y * width + x0) * 4;
        blendSteps(pixels, at, coverage, x1 - x0, steps, step, alpha, lighter);
      });
      return;
    }
    const [r, g, b, a] = parseColor(style);
    const color = [(r * a) / 255, (g * a) / 255, (b * a) / 255, a];
    raster.fill(polygons, this.clipped, (y, x0, x1, coverage) => {
      const at = (y * width + x0) * 4;
      blendSolid(pixels, at, coverage, x1 - x0, color, alpha, lighter);
    });
  }

  /** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
  createLinearGradient(x0, y0, x1, y1) {
    return new Gradient(false, [x0, y0, x1, y1]);
  }
  /** @param {number} x0 @param {number} y0 @param {number} r0
   * @param {number} x1 @param {number} y1 @param {number} r1 */
  createRadialGradient(x0, y0, r0, x1, y1, r1) {
    return new Gradient(true, [x0, y0, r0, x1, y1, r1]);
  }

  /**
   * drawImage(image, x, y), drawImage(image, x, y, width, height) or
   * drawImage(image, sx, sy, sWidth, sHeight, x, y, width, height)
   * @param {Canvas | Picture} given @param {number[]} numbers
   */
  drawImage(given, ...numbers) {
    const shrink = numbers.length === 4 ? given.width / (numbers[2] * scaleOf(this.matrix)) : 1;
    const image = given instanceof Picture ? given.sized(shrink) : given;
    const { width: imageWidth, height: imageHeight } = image;
    const [sx, sy, sw, sh, x, y, w, h] =
      numbers.length === 8
        ? numbers
        : [0, 0, imageWidth, imageHeight, ...numbers, imageWidth, imageHeight];
    const part = {
      x: Math.round(sx),
      y: Math.round(sy),
      width: Math.round(sw),
      height: Math.round(sh),
    };
    if (!(w > 0 && h > 0 && part.width > 0 && part.height > 0)) return;
    const [a, b, c, d, e, f] = this.matrix;
    const corners = [
      apply(this.matrix, x, y),
      apply(this.matrix, x + w, y),
      apply(this.matrix, x, y + h),
      apply(this.matrix, x + w, y + h),
    ];
    const clip = this.clipped;
    const box = {
      x0: Math.max(clip.x0, Math.floor(Math.min(...corners.map(([px]) => px)))),
      y0: Math.max(clip.y0, Math.floor(Math.min(...corners.map(([, py]) => py)))),
      x1: Math.min(clip.x1, Math.ceil(Math.max(...corners.map(([px]) => px)))),
      y1: Math.min(clip.y1, Math.ceil(Math.max(...corners.map(([, py]) => py)))),
    };
    if (box.x0 >= box.x1 || box.y0 >= box.y1) return;
    const lighter = this.globalCompositeOperation === 'lighter';
    const straight = a === 1 && b === 0 && c === 0 && d === 1 && w === sw && h === sh;
    const [left, top] = corners[0];
    if (straight && !lighter && this.globalAlpha === 1 && left % 1 === 0 && top % 1 === 0) {
      const skipX = box.x0 - left;
      const skipY = box.y0 - top;
      const size = /** @type {const} */ ([box.x1 - box.x0, box.y1 - box.y0]);
      copyPart(this.canvas, box.x0, box.y0, image, part.x + skipX, part.y + skipY, ...size);
      return;
    }
    // Target pixels to picture pixels: invert the transform, then apply position and size of the part.
    const [ia, ib, ic, id, ie, jf] = inverse([a, b, c, d, e, f]);
    const kx = part.width / w;
    const ky = part.height / h;
    /** @type {Matrix} */
    const back = [ia * kx, ib * ky, ic * kx, id * ky, (ie - x) * kx, (jf - y) * ky];
    copyScaled(this.canvas, box, image, part, back, this.globalAlpha, lighter);
  }

  // Text.

  get #size() {
    return Number(/([\d.]+)px/.exec(this.font)?.[1] ?? 10);
  }
  /** @param {string} text */
  measureText(text) {
    return { width: textWidth(text, this.#size) };
  }
  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    const size = this.#size;
    const width = textWidth(text, size);
    const { textAlign } = this;
    const left =
      textAlign === 'center' ? x - width / 2 : ['right', 'end'].includes(textAlign) ? x - width : x;
    const base = this.textBaseline === 'middle' ? y + middleOf(size) : y;
    const path = new Path();
    addText(path, this.matrix, text, left, base, size);
    this.#cover(path.polygons, this.fillStyle);
  }
}

/** Inverts a transform. @param {Matrix} matrix @returns {Matrix} */
function inverse([a, b, c, d, e, f]) {
  const k = 1 / (a * d - b * c || 1);
  return [d * k, -b * k, -c * k, a * k, (c * f - d * e) * k, (b * e - a * f) * k];
}
