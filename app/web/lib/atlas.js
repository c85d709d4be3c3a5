/**
 * One big canvas with all sprites on it: copies from one source are what a browser's GPU process
 * can put together into few calls.
 *
 * @typedef {{x: number, y: number, width: number, height: number}} Sprite where it lies, px
 */

/** px; 16 MB as pixels. */
export const ATLAS_SIZE = 2048;
const GAP = 2;

export class Atlas {
  canvas;
  /** Grows each time all sprites were thrown away: what was got before is void. */
  generation = 0;
  #context;
  /** @type {Map<number, Sprite>} */
  #sprites = new Map();
  #x = GAP;
  #y = GAP;
  #rowHeight = 0;

  constructor(size = ATLAS_SIZE) {
    this.canvas = document.createElement('canvas');
    this.canvas.width = this.canvas.height = size;
    const context = this.canvas.getContext('2d');
    if (!context) throw new Error('this browser has no 2D canvas');
    this.#context = context;
  }

  clear() {
    this.generation++;
    this.#sprites.clear();
    this.#x = this.#y = GAP;
    this.#rowHeight = 0;
    this.#context.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  /** @param {number} key an integer that names the sprite @returns {Sprite | undefined} */
  find(key) {
    return this.#sprites.get(key);
  }

  /**
   * @param {number} key
   * @param {number} width px @param {number} height px; both at most the canvas less its gaps
   * @param {(context: CanvasRenderingContext2D) => void} paint around the sprite's middle
   * @returns {Sprite}
   */
  add(key, width, height, paint) {
    const size = this.canvas.width;
    const w = Math.min(Math.ceil(width), size - 2 * GAP);
    const h = Math.min(Math.ceil(height), size - 2 * GAP);
    if (this.#x + w + GAP > size) {
      this.#x = GAP;
      this.#y += this.#rowHeight + GAP;
      this.#rowHeight = 0;
    }
    if (this.#y + h + GAP > size) this.clear();
    const sprite = { x: this.#x, y: this.#y, width: w, height: h };
    this.#x += w + GAP;
    this.#rowHeight = Math.max(this.#rowHeight, h);
    const context = this.#context;
    context.save();
    context.beginPath();
    context.rect(sprite.x, sprite.y, w, h);
    context.clip();
    context.translate(sprite.x + w / 2, sprite.y + h / 2);
    paint(context);
    context.restore();
    this.#sprites.set(key, sprite);
    return sprite;
  }
}
