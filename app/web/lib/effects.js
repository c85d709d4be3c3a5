import { circle, stroke } from './canvas.js';

/**
 * Visual effects of events: particles drawn as lights, rings, and a shake of the picture.
 * Sizes are in world units, times in milliseconds.
 *
 * @typedef {{x: number, y: number, age: number, lifeMs: number, color: string}} Light
 */

const MAX_PARTICLES = 480;
const DRAG_PER_MS = 0.0032;
const MAX_RINGS = 24;
const SHAKE_DECAY_PER_MS = 0.007;
const MAX_SHAKE = 9;

/** Parameters of the effects; `ring`, the reach of it, and `shake` are in world units. */
export const EFFECTS = Object.freeze({
  burst: { particles: 22, speed: 0.32, lifeMs: 620, size: 9, ring: 70, shake: 2.5 },
  flash: { particles: 5, speed: 0.16, lifeMs: 260, size: 11, ring: 34, shake: 0 },
  ring: { particles: 8, speed: 0.2, lifeMs: 420, size: 7, ring: 130, shake: 0 },
});

export class Effects {
  /** Oldest first. @type {(Light & {vx: number, vy: number, size: number})[]} */
  #particles = [];
  /** Oldest first. @type {(Light & {reach: number})[]} */
  #rings = [];
  #shake = 0;
  /** Whether there are fewer particles, for a slow TV. */
  isLow = false;

  /** @param {{calm?: boolean}} [options] calm: reduced motion */
  constructor({ calm = false } = {}) {
    this.calm = calm;
  }

  /** Removes all effects. */
  clear() {
    this.#particles = [];
    this.#rings = [];
    this.#shake = 0;
  }

  /**
   * Starts an effect.
   * @param {string} name a key of EFFECTS; unknown names give a flash
   * @param {number} x @param {number} y @param {string} color '#rrggbb'
   */
  start(name, x, y, color) {
    const effect = EFFECTS[/** @type {keyof typeof EFFECTS} */ (name)] ?? EFFECTS.flash;
    const busy = this.#particles.length > MAX_PARTICLES / 2 ? 0.4 : 1;
    const count = Math.ceil(effect.particles * busy * (this.calm || this.isLow ? 0.4 : 1));
    for (let i = 0; i < count; i++) {
      const direction = Math.random() * Math.PI * 2;
      const speed = effect.speed * (0.25 + Math.random() * 0.85);
      const [vx, vy] = [Math.cos(direction) * speed, Math.sin(direction) * speed];
      const lifeMs = effect.lifeMs * (0.5 + Math.random() * 0.5);
      const size = effect.size * (0.5 + Math.random() * 0.8);
      if (this.#particles.length >= MAX_PARTICLES) this.#particles.shift();
      this.#particles.push({ x, y, vx, vy, age: 0, lifeMs, size, color });
    }
    // A ring below the particles shows the position even in a crowd.
    if (this.#rings.length >= MAX_RINGS) this.#rings.shift();
    this.#rings.push({ x, y, age: 0, lifeMs: effect.lifeMs * 0.8, reach: effect.ring, color });
    if (!this.calm) this.#shake = Math.min(MAX_SHAKE, this.#shake + effect.shake);
  }

  /** Advances the effects. @param {number} elapsedMs since the last picture */
  step(elapsedMs) {
    const drag = Math.exp(-DRAG_PER_MS * elapsedMs);
    for (const particle of this.#particles) {
      particle.age += elapsedMs;
      particle.x += particle.vx * elapsedMs;
      particle.y += particle.vy * elapsedMs;
      particle.vx *= drag;
      particle.vy *= drag;
    }
    for (const ring of this.#rings) ring.age += elapsedMs;
    this.#particles = this.#particles.filter(({ age, lifeMs }) => age < lifeMs);
    this.#rings = this.#rings.filter(({ age, lifeMs }) => age < lifeMs);
    this.#shake *= Math.exp(-SHAKE_DECAY_PER_MS * elapsedMs);
    if (this.#shake < 0.1) this.#shake = 0;
  }

  /**
   * Returns where the shaking picture is.
   * @param {import('./marks.js').Place} place where it is otherwise
   * @returns {import('./marks.js').Place} the same object if it does not shake
   */
  shaken(place) {
    if (this.#shake === 0) return place;
    const reach = this.#shake * place.scale;
    const x = place.x + reach * (Math.random() * 2 - 1);
    return { scale: place.scale, x, y: place.y + reach * (Math.random() * 2 - 1) };
  }

  /**
   * Draws the effects.
   * @param {CanvasRenderingContext2D} context
   * @param {import('./sprites.js').Sprites} sprites
   * @param {import('./marks.js').Place} place
   */
  draw(context, sprites, place) {
    context.globalCompositeOperation = 'lighter';
    for (const particle of this.#particles) {
      const left = 1 - particle.age / particle.lifeMs;
      const size = particle.size * (0.6 + left) * 2 * place.scale;
      context.globalAlpha = left;
      const x = place.x + particle.x * place.scale - size / 2;
      const y = place.y + particle.y * place.scale - size / 2;
      sprites.copy(context, sprites.light(particle.color), x, y, size, size);
    }
    for (const ring of this.#rings) {
      const left = 1 - ring.age / ring.lifeMs;
      const r = ring.reach * (1 - left * left) * place.scale;
      context.globalAlpha = left * 0.8;
      circle(context, r, place.x + ring.x * place.scale, place.y + ring.y * place.scale);
      stroke(context, Math.max(1, 7 * left * place.scale), ring.color);
    }
    context.globalAlpha = 1;
    context.globalCompositeOperation = 'source-over';
  }
}
