/**
 * A canvas that holds all sprites. The browser's GPU process can batch copies from a single source.
 *
 * @typedef {{x: number, y: number, width: number, height: number}} Sprite position in the atlas, px
 */

/** Width and height, px: 16 MB of pixels. */
export const ATLAS_SIZE = 2048;
const GAP = 2;

export class Atlas {
  canvas;
  /** Increases whenever all sprites are discarded; earlier sprites are then invalid. */
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
    if (!context) throw new Error('This browser does not support 2D canvases.');
    this.#context = context;
  }

  /** Discards all sprites. */
  clear() {
    this.generation++;
    this.#sprites.clear();
    this.#x = this.#y = GAP;
    this.#rowHeight = 0;
    this.#context.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  /** Finds a sprite. @param {number} key an integer, unique to the sprite @returns {Sprite | undefined} */
  find(key) {
    return this.#sprites.get(key);
  }

  /**
   * Adds a sprite. Discards all others if the atlas is full.
   * @param {number} key
   * @param {number} width px @param {number} height px; both limited to the size of the atlas
   * @param {(context: CanvasRenderingContext2D) => void} paint the origin is the sprite's centre
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
