import { circle, stroke } from './canvas.js';

/**
 * Visual effects of events: a pool of particles drawn as lights, rings, and a shake of the picture.
 * Sizes are in world units, times in milliseconds.
 */

const MAX_PARTICLES = 480;
const FIELDS = 7; // x, y, vx, vy, age, life, size
const DRAG_PER_MS = 0.0032;
const MAX_RINGS = 24;
const SHAKE_DECAY_PER_MS = 0.007;
const MAX_SHAKE = 9;

/** Parameters of the effects; `shake` is in world units. */
export const EFFECTS = Object.freeze({
  burst: { particles: 22, speed: 0.32, lifeMs: 620, size: 9, ring: 0, shake: 2.5 },
  flash: { particles: 5, speed: 0.16, lifeMs: 260, size: 11, ring: 0, shake: 0 },
  ring: { particles: 8, speed: 0.2, lifeMs: 420, size: 7, ring: 130, shake: 0 },
});

export class Effects {
  #pool = new Float32Array(MAX_PARTICLES * FIELDS);
  /** @type {string[]} */
  #colors = new Array(MAX_PARTICLES).fill('#ffffff');
  #next = 0;
  #live = 0;
  /** @type {{x: number, y: number, age: number, lifeMs: number, reach: number, color: string}[]} */
  #rings = [];
  #shake = 0;
  /** Current offset of the picture, world units. */
  shakeX = 0;
  shakeY = 0;

  /** Whether there are fewer particles, for a slow TV. */
  isLow = false;

  /** @param {{calm?: boolean}} [options] calm: reduced motion */
  constructor({ calm = false } = {}) {
    this.calm = calm;
  }

  /** Removes all effects. */
  clear() {
    this.#pool.fill(0);
    this.#rings.length = 0;
    this.#live = 0;
    this.#shake = 0;
  }

  /**
   * Starts an effect.
   * @param {string} name a key of EFFECTS; unknown names give a flash
   * @param {number} x @param {number} y @param {string} color '#rrggbb'
   */
  start(name, x, y, color) {
    const effect = EFFECTS[/** @type {keyof typeof EFFECTS} */ (name)] ?? EFFECTS.flash;
    const busy = this.#live > MAX_PARTICLES / 2 ? 0.4 : 1;
    const count = Math.ceil(effect.particles * busy * (this.calm || this.isLow ? 0.4 : 1));
    for (let i = 0; i < count; i++) {
      const direction = Math.random() * Math.PI * 2;
      const speed = effect.speed * (0.25 + Math.random() * 0.85);
      const p = this.#next * FIELDS;
      this.#pool[p] = x;
      this.#pool[p + 1] = y;
      this.#pool[p + 2] = Math.cos(direction) * speed;
      this.#pool[p + 3] = Math.sin(direction) * speed;
      this.#pool[p + 4] = 0;
      this.#pool[p + 5] = effect.lifeMs * (0.5 + Math.random() * 0.5);
      this.#pool[p + 6] = effect.size * (0.5 + Math.random() * 0.8);
      this.#colors[this.#next] = color;
      this.#next = (this.#next + 1) % MAX_PARTICLES;
    }
    // A ring below the particles shows the position even in a crowd.
    const reach = effect.ring || (name === 'burst' ? 70 : 34);
    if (this.#rings.length >= MAX_RINGS) this.#rings.shift();
    this.#rings.push({ x, y, age: 0, lifeMs: effect.lifeMs * 0.8, reach, color });
    if (!this.calm) this.#shake = Math.min(MAX_SHAKE, this.#shake + effect.shake);
  }

  /** Advances the effects. @param {number} elapsedMs since the last picture */
  step(elapsedMs) {
    const pool = this.#pool;
    const drag = Math.exp(-DRAG_PER_MS * elapsedMs);
    this.#live = 0;
    for (let p = 0; p < pool.length; p += FIELDS) {
      if (pool[p + 4] >= pool[p + 5]) continue;
      this.#live++;
      pool[p + 4] += elapsedMs;
      pool[p] += pool[p + 2] * elapsedMs;
      pool[p + 1] += pool[p + 3] * elapsedMs;
      pool[p + 2] *= drag;
      pool[p + 3] *= drag;
    }
    for (const ring of this.#rings) ring.age += elapsedMs;
    while (this.#rings.length > 0 && this.#rings[0].age > this.#rings[0].lifeMs)
      this.#rings.shift();
    this.#shake *= Math.exp(-SHAKE_DECAY_PER_MS * elapsedMs);
    if (this.#shake < 0.1) this.#shake = 0;
    this.shakeX = this.#shake * (Math.random() * 2 - 1);
    this.shakeY = this.#shake * (Math.random() * 2 - 1);
  }

  /**
   * Draws the effects.
   * @param {CanvasRenderingContext2D} context
   * @param {import('./sprites.js').Sprites} sprites
   * @param {{scale: number, x: number, y: number}} place converts world units to px
   */
  draw(context, sprites, place) {
    const pool = this.#pool;
    context.globalCompositeOperation = 'lighter';
    for (let i = 0, p = 0; p < pool.length; i++, p += FIELDS) {
      const left = 1 - pool[p + 4] / pool[p + 5];
      if (!(left > 0)) continue;
      const light = sprites.light(this.#colors[i]);
      const size = pool[p + 6] * (0.6 + left) * 2 * place.scale;
      context.globalAlpha = left;
      const x = place.x + pool[p] * place.scale - size / 2;
      const y = place.y + pool[p + 1] * place.scale - size / 2;
      sprites.copy(context, light, x, y, size, size);
    }
    for (const ring of this.#rings) {
      const left = 1 - ring.age / ring.lifeMs;
      if (left <= 0) continue;
      const r = ring.reach * (1 - left * left) * place.scale;
      context.globalAlpha = left * 0.8;
      circle(context, r, place.x + ring.x * place.scale, place.y + ring.y * place.scale);
      stroke(context, Math.max(1, 7 * left * place.scale), ring.color);
    }
    context.globalAlpha = 1;
    context.globalCompositeOperation = 'source-over';
  }
}
