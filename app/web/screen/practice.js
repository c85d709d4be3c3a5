import { MAX_AXIS } from '../../game/input.js';
import { byId, h } from '../lib/dom.js';
import { shapeIcon } from '../lib/player-shapes.js';

/**
 * Practice in the lobby: phones without a match roll their balls over the picture of the selected game. A ball is an
 * element that the browser moves, so that no more than its place is painted again. Lengths are diameters of a ball.
 */

/** Width and height of the area of the balls' centres, as in games.css. */
export const AREA = Object.freeze([7.6, 8.5]);
/** Acceleration by a stick that is pushed fully, per second squared. */
const PUSH = 20;
/** Part of the speed that is lost, per second. */
const DRAG = 2.5;
/** Part of the speed that is left after a wall. */
const BOUNCE = 0.7;
/** A ball leaves after this time without its stick. */
const IDLE_MS = 8000;
const MAX_STEP_MS = 50;

/** @typedef {{at: number[], speed: number[], push: number[]}} Ball each x and y; push: -1..1 */

/** Moves a ball, which bounces off the walls. @param {Ball} ball @param {number} seconds */
export function stepBall({ at, speed, push }, seconds) {
  for (const i of [0, 1]) {
    speed[i] = (speed[i] + push[i] * PUSH * seconds) * Math.exp(-DRAG * seconds);
    const next = at[i] + speed[i] * seconds;
    at[i] = Math.max(0, Math.min(AREA[i], next));
    if (at[i] !== next) speed[i] *= -BOUNCE;
  }
}

export class Practice {
  #root = byId('practice');
  /** Those without a match, by id. @type {Map<string | number, import('../lib/types.js').Player>} */
  #players = new Map();
  /** By player. @type {Map<number, Ball & {element: HTMLElement, heardAt: number}>} */
  #balls = new Map();
  #drawnAt = 0;
  #isDrawing = false;

  /** Sets who can practise. @param {import('../lib/types.js').Player[]} players */
  setPlayers(players) {
    const idle = players.filter(({ match, connected }) => connected && match === null);
    this.#players = new Map(idle.map((player) => [player.id, player]));
  }

  /** Moves sticks; the first push brings a ball. @param {{player: number, x: number, y: number}[]} sticks */
  move(sticks) {
    for (const { player, x, y } of sticks) {
      if (!this.#balls.has(player) && (x || y)) this.#add(player);
      const push = [x / MAX_AXIS, y / MAX_AXIS];
      Object.assign(this.#balls.get(player) ?? {}, { push, heardAt: performance.now() });
    }
    if (!this.#isDrawing) this.#draw(performance.now());
  }

  /** @param {number} id */
  #add(id) {
    const player = this.#players.get(id);
    if (!player) return;
    const { color, name } = player;
    const element = h('div.ball', { color }, shapeIcon(color), h('b.cut', name));
    const at = [(1 + 3 * this.#balls.size) % AREA[0], AREA[1] / 2];
    this.#balls.set(id, { at, speed: [0, 0], push: [0, 0], element, heardAt: 0 });
    this.#root.append(element);
  }

  /** @param {number} now ms */
  #draw(now) {
    const seconds = Math.min(MAX_STEP_MS, Math.max(0, now - this.#drawnAt)) / 1000;
    this.#drawnAt = now;
    for (const [player, ball] of this.#balls) {
      const { element, heardAt, at } = ball;
      const isIdle = now - heardAt > IDLE_MS || !this.#players.has(player);
      if (isIdle || byId('lobby').hidden) {
        element.remove();
        this.#balls.delete(player);
      }
      stepBall(ball, seconds);
      element.style.transform = `translate(${100 * at[0]}%, ${100 * at[1]}%)`;
    }
    this.#isDrawing = this.#balls.size > 0;
    this.#root.hidden = !this.#isDrawing;
    if (this.#isDrawing) requestAnimationFrame((next) => this.#draw(next));
  }
}
