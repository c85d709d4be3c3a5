import { contextOf, createCanvas } from './canvas.js';

/**
 * The canvases that hold all sprites. A browser with a GPU batches copies from a single canvas. A browser without one
 * copies a whole canvas when a sprite is added to it between two pictures, so none is large.
 *
 * @typedef {{canvas: HTMLCanvasElement, x: number, y: number, width: number, height: number}} Sprite a part of a
 *   canvas, px
 */

/** Width and height of a page, a canvas for many sprites, px: 1 MB of pixels. */
const PAGE_SIZE = 512;
/** A sprite that is wider or higher has a canvas of its own. px */
const MAX_SIZE = PAGE_SIZE / 2;
/** 16 MB. */
const MAX_PIXELS = 2048 * 2048;
const GAP = 2;

export class Atlas {
  /** Increases whenever all sprites are discarded; earlier sprites are then invalid. */
  generation = 0;
  /** @type {Map<number, Sprite>} */
  #sprites = new Map();
  /** Canvases, which are used again after clear(). @type {HTMLCanvasElement[]} */
  #pages = [];
  /** Number of pages in use. The last one is being filled. */
  #used = 0;
  #pixels = 0;
  #x = GAP;
  #y = GAP;
  #rowHeight = 0;

  /** Discards all sprites. */
  clear() {
    this.generation++;
    this.#sprites.clear();
    this.#used = this.#pixels = 0;
  }

  /** Finds a sprite. @param {number} key an integer, unique to the sprite @returns {Sprite | undefined} */
  find(key) {
    return this.#sprites.get(key);
  }

  /**
   * Adds a sprite. Discards all others if the atlas is full.
   * @param {number} key
   * @param {number} width px @param {number} height px
   * @param {(context: CanvasRenderingContext2D) => void} paint the origin is the sprite's centre
   * @returns {Sprite}
   */
  add(key, width, height, paint) {
    const w = Math.ceil(width);
    const h = Math.ceil(height);
    const sprite = Math.max(w, h) > MAX_SIZE ? this.#placeAlone(w, h) : this.#place(w, h);
    const context = contextOf(sprite.canvas);
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

  /** @param {number} width @param {number} height @returns {Sprite} on a canvas of its own */
  #placeAlone(width, height) {
    this.#reserve(width * height);
    return { canvas: createCanvas(width, height), x: 0, y: 0, width, height };
  }

  /** @param {number} width @param {number} height @returns {Sprite} */
  #place(width, height) {
    if (this.#x + width + GAP > PAGE_SIZE) {
      this.#x = GAP;
      this.#y += this.#rowHeight + GAP;
      this.#rowHeight = 0;
    }
    if (this.#used === 0 || this.#y + height + GAP > PAGE_SIZE) this.#turnPage();
    const canvas = this.#pages[this.#used - 1];
    const sprite = { canvas, x: this.#x, y: this.#y, width, height };
    this.#x += width + GAP;
    this.#rowHeight = Math.max(this.#rowHeight, height);
    return sprite;
  }

  #turnPage() {
    this.#reserve(PAGE_SIZE * PAGE_SIZE);
    this.#pages[this.#used] ??= createCanvas(PAGE_SIZE, PAGE_SIZE);
    contextOf(this.#pages[this.#used++]).clearRect(0, 0, PAGE_SIZE, PAGE_SIZE);
    this.#x = this.#y = GAP;
    this.#rowHeight = 0;
  }

  /** Takes pixels, from all sprites if there are not enough. @param {number} pixels */
  #reserve(pixels) {
    if (this.#pixels + pixels > MAX_PIXELS) this.clear();
    this.#pixels += pixels;
  }
}
