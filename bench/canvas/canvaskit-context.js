/** The drawing context of canvaskit.js, with the styles of app/clips/canvas. */
import { Styles } from '../../app/clips/canvas/styles.js';

const DEGREES = 180 / Math.PI;

/** @typedef {import('./canvaskit.js').Canvas} Canvas */

class Gradient {
  /** @type {number[]} */
  #colors = [];
  /** @type {number[]} */
  #stops = [];
  /** @type {any} */
  #shader;

  /** @param {any} kit @param {(colors: Float32Array, stops: number[]) => any} make */
  constructor(kit, make) {
    this.kit = kit;
    this.make = make;
  }
  /** @param {number} at @param {string} css */
  addColorStop(at, css) {
    this.#stops.push(at);
    this.#colors.push(...this.kit.parseColorString(css));
  }
  get shader() {
    return (this.#shader ??= this.make(new Float32Array(this.#colors), this.#stops));
  }
}

/** @extends {Styles<Gradient>} */
export class Context extends Styles {
  #paint;
  /** @type {any} */
  #path;
  #started = false;
  /** @type {Map<string, Float32Array>} */
  #colors = new Map();
  /** @type {Map<string, any>} */
  #fonts = new Map();

  /** @param {Canvas} canvas */
  constructor(canvas) {
    super();
    this.canvas = canvas;
    this.kit = canvas.kit;
    this.#paint = new this.kit.Paint();
    this.#paint.setAntiAlias(true);
    this.beginPath();
  }

  get #target() {
    return this.canvas.surface.getCanvas();
  }
  save() {
    super.save();
    this.#target.save();
  }
  restore() {
    super.restore();
    this.#target.restore();
  }

  /** @param {number[]} matrix */
  setTransform(...[a, b, c, d, e, f]) {
    const target = this.#target;
    target.concat(this.kit.Matrix.invert(target.getTotalMatrix()));
    target.concat([a, c, e, b, d, f, 0, 0, 1]);
  }
  /** @param {number} x @param {number} y */
  translate(x, y) {
    this.#target.translate(x, y);
  }
  /** @param {number} x @param {number} y */
  scale(x, y) {
    this.#target.scale(x, y);
  }
  /** @param {number} radians */
  rotate(radians) {
    this.#target.rotate(radians * DEGREES, 0, 0);
  }

  beginPath() {
    this.#path?.delete();
    this.#path = new this.kit.PathBuilder();
    this.#started = false;
  }
  closePath() {
    this.#path.close();
  }
  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.#path.moveTo(x, y);
    this.#started = true;
  }
  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    if (!this.#started) this.moveTo(x, y);
    else this.#path.lineTo(x, y);
  }
  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  rect(x, y, width, height) {
    this.#path.addRect([x, y, x + width, y + height]);
  }
  /** @param {number} x @param {number} y @param {number} r @param {number} from @param {number} to */
  arc(x, y, r, from, to) {
    this.ellipse(x, y, r, r, 0, from, to);
  }
  /**
   * Ignores the rotation, which the games use only for small details.
   * @param {number} x @param {number} y @param {number} rx @param {number} ry
   * @param {number} _rotation @param {number} from @param {number} to
   */
  ellipse(x, y, rx, ry, _rotation, from, to) {
    const box = [x - rx, y - ry, x + rx, y + ry];
    const half = ((to - from) * DEGREES) / 2; // a whole circle takes two arcs
    this.#path.arcToOval(box, from * DEGREES, half, !this.#started);
    this.#path.arcToOval(box, from * DEGREES + half, half, false);
    this.#started = true;
  }
  /** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {number} r */
  arcTo(x1, y1, x2, y2, r) {
    this.#path.arcToTangent(x1, y1, x2, y2, r);
  }
  clip() {
    const path = this.#path.snapshot();
    this.#target.clipPath(path, this.kit.ClipOp.Intersect, false);
    path.delete();
  }

  /** @param {string} css */
  #color(css) {
    let color = this.#colors.get(css);
    if (!color) this.#colors.set(css, (color = this.kit.parseColorString(css)));
    return /** @type {Float32Array} */ (color);
  }
  /** @param {any} style */
  #prepare(style) {
    const { BlendMode } = this.kit;
    const { globalAlpha, globalCompositeOperation } = this;
    const gradient = style instanceof Gradient;
    const [r, g, b, a] = gradient ? [0, 0, 0, 1] : this.#color(style);
    const paint = this.#paint;
    paint.setShader(gradient ? style.shader : null);
    paint.setColorComponents(r, g, b, a * globalAlpha);
    paint.setBlendMode(globalCompositeOperation === 'lighter' ? BlendMode.Plus : BlendMode.SrcOver);
    paint.setStyle(this.kit.PaintStyle.Fill);
    this.canvas.changed();
    return paint;
  }
  /** @param {any} paint */
  #draw(paint) {
    const path = this.#path.snapshot();
    this.#target.drawPath(path, paint);
    path.delete();
  }
  fill() {
    this.#draw(this.#prepare(this.fillStyle));
  }
  stroke() {
    const { PaintStyle, StrokeCap, StrokeJoin } = this.kit;
    const paint = this.#prepare(this.strokeStyle);
    paint.setStyle(PaintStyle.Stroke);
    paint.setStrokeWidth(this.lineWidth);
    paint.setStrokeCap(this.lineCap === 'round' ? StrokeCap.Round : StrokeCap.Butt);
    paint.setStrokeJoin(StrokeJoin.Round);
    this.#draw(paint);
  }
  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) {
    this.#target.drawRect4f(x, y, x + width, y + height, this.#prepare(this.fillStyle));
  }
  clearRect() {
    this.#target.clear(this.kit.TRANSPARENT);
    this.canvas.changed();
  }

  /** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
  createLinearGradient(x0, y0, x1, y1) {
    const { Shader, TileMode } = this.kit;
    return new Gradient(this.kit, (colors, stops) =>
      Shader.MakeLinearGradient([x0, y0], [x1, y1], colors, stops, TileMode.Clamp),
    );
  }
  /** @param {number} x0 @param {number} y0 @param {number} r0
   * @param {number} x1 @param {number} y1 @param {number} r1 */
  createRadialGradient(x0, y0, r0, x1, y1, r1) {
    const { Shader, TileMode } = this.kit;
    return new Gradient(this.kit, (colors, stops) =>
      Shader.MakeTwoPointConicalGradient([x0, y0], r0, [x1, y1], r1, colors, stops, TileMode.Clamp),
    );
  }

  /** @param {Canvas} image @param {number[]} numbers */
  drawImage(image, ...numbers) {
    const { width, height } = image;
    const [sx, sy, sw, sh, x, y, w, h] =
      numbers.length === 2 ? [0, 0, width, height, ...numbers, width, height] : numbers;
    const { FilterMode, MipmapMode } = this.kit;
    const filter = numbers.length === 2 ? FilterMode.Nearest : FilterMode.Linear;
    const places = [
      [sx, sy, sx + sw, sy + sh],
      [x, y, x + w, y + h],
    ];
    const paint = this.#prepare('#000000');
    this.#target.drawImageRectOptions(image.image, ...places, filter, MipmapMode.None, paint);
  }

  get #font() {
    const { font } = this;
    let found = this.#fonts.get(font);
    if (!found) {
      found = new this.kit.Font(this.canvas.face, Number(/([\d.]+)px/.exec(font)?.[1]));
      this.#fonts.set(font, found);
    }
    return found;
  }
  /** @param {string} text */
  measureText(text) {
    const font = this.#font;
    const widths = font.getGlyphWidths(font.getGlyphIDs(text));
    return { width: widths.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0) };
  }
  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    const { textAlign, textBaseline } = this;
    const { width } = this.measureText(text);
    const before = textAlign === 'center' ? width / 2 : textAlign === 'right' ? width : 0;
    const { ascent, descent } = this.#font.getMetrics();
    const base = textBaseline === 'middle' ? y - (ascent + descent) / 2 : y;
    this.#target.drawText(text, x - before, base, this.#prepare(this.fillStyle), this.#font);
  }
}
