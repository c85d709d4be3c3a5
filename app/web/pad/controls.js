import { byId, listen } from '../lib/dom.js';
import { BUTTON_A, BUTTON_B } from '../../game/input.js';
import { dragCentre, hasKey, readKeyboard, stickAxes } from '../lib/stick.js';

/**
 * The pad's controls. The joystick appears where the left thumb touches the screen. The right thumb
 * presses the nearer of two buttons. On a desktop the keyboard works, too.
 */

/** Distance of full deflection, part of the ring's width. */
const REACH = 0.42;

const KEYBOARD = {
  left: ['ArrowLeft', 'KeyA'],
  right: ['ArrowRight', 'KeyD'],
  up: ['ArrowUp', 'KeyW'],
  down: ['ArrowDown', 'KeyS'],
  a: ['Space', 'KeyJ'],
  b: ['Enter', 'KeyK'],
};

export class Controls {
  active = false;
  #zone = byId('stick');
  #ring = /** @type {HTMLElement} */ (this.#zone.querySelector('.ring'));
  #nub = /** @type {HTMLElement} */ (this.#zone.querySelector('.nub'));
  #pad = byId('buttons');
  #buttons = [
    { bit: BUTTON_A, element: byId('button-a') },
    { bit: BUTTON_B, element: byId('button-b') },
  ];
  /** @type {number | null} id of the pointer that holds the stick */
  #thumb = null;
  #centre = { x: 0, y: 0 };
  #radius = 60;
  #axes = { x: 0, y: 0 };
  /** @type {Map<number, number>} pointer id -> the button it holds */
  #presses = new Map();
  /** Codes of the held keys. @type {Set<string>} */
  #keys = new Set();

  /** @param {(x: number, y: number, buttons: number) => void} onChange called with axes -127..127 and held buttons */
  constructor(onChange) {
    this.onChange = onChange;
    listen(this.#zone, {
      down: (event) => this.#stickDown(event),
      move: (event) => this.#stickMove(event),
      up: (event) => event.pointerId === this.#thumb && this.#releaseStick(),
    });
    listen(this.#pad, {
      down: (event) => this.#pressButton(event),
      move: (event) => this.#presses.has(event.pointerId) && this.#pressButton(event),
      up: (event) => this.#presses.delete(event.pointerId) && this.#emitChange(),
    });
    document.addEventListener('keydown', (event) => this.#updateKey(event, true));
    document.addEventListener('keyup', (event) => this.#updateKey(event, false));
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState !== 'visible') this.release();
    });
    addEventListener('blur', () => this.release());
    addEventListener('pagehide', () => this.release());
  }

  /** Moves the stick to another view. @param {HTMLElement} view */
  moveTo(view) {
    if (this.#zone.parentElement === view) return;
    this.release(); // the browser does not say that the thumb has left
    view.insertBefore(this.#zone, view.contains(this.#pad) ? this.#pad : view.firstChild);
  }

  /** Releases all controls. */
  release() {
    this.#presses.clear();
    this.#keys.clear();
    this.#releaseStick();
  }

  #releaseStick() {
    this.#thumb = null;
    this.#axes = { x: 0, y: 0 };
    this.#zone.setAttribute('data-held', 'false');
    this.#ring.style.transform = '';
    this.#drawStick(0, 0);
    this.#emitChange();
  }

  /** @param {PointerEvent} event */
  #stickDown(event) {
    if (this.#thumb !== null) return;
    this.#thumb = event.pointerId;
    this.#radius = this.#ring.offsetWidth * REACH;
    this.#centre = { x: event.clientX, y: event.clientY };
    this.#zone.setAttribute('data-held', 'true');
    this.#stickMove(event);
  }

  /** @param {PointerEvent} event */
  #stickMove(event) {
    if (event.pointerId !== this.#thumb) return;
    dragCentre(this.#centre, event.clientX, event.clientY, this.#radius);
    const dx = event.clientX - this.#centre.x;
    const dy = event.clientY - this.#centre.y;
    this.#axes = stickAxes(dx, dy, this.#radius);
    this.#drawStick(dx, dy);
    this.#emitChange();
  }

  /** @param {number} dx px of the nub from the centre @param {number} dy */
  #drawStick(dx, dy) {
    this.#nub.style.transform = dx || dy ? `translate(${dx}px, ${dy}px)` : '';
    if (this.#thumb === null) return;
    const zone = this.#zone.getBoundingClientRect();
    const x = this.#centre.x - zone.left - this.#ring.offsetLeft - this.#ring.offsetWidth / 2;
    const y = this.#centre.y - zone.top - this.#ring.offsetTop - this.#ring.offsetHeight / 2;
    this.#ring.style.transform = `translate(${x}px, ${y}px)`;
  }

  /** Presses the nearest button of the game. Players do not look at their thumbs, so the whole right side is active.
   * @param {PointerEvent} event */
  #pressButton(event) {
    let nearest = { bit: 0, distance: Infinity };
    for (const { bit, element } of this.#buttons) {
      if (element.hidden) continue;
      const box = element.getBoundingClientRect();
      const dx = event.clientX - (box.left + box.right) / 2;
      const dy = event.clientY - (box.top + box.bottom) / 2;
      const distance = Math.hypot(dx, dy);
      if (distance < nearest.distance) nearest = { bit, distance };
    }
    if (nearest.bit === 0) return;
    this.#presses.set(event.pointerId, nearest.bit);
    this.#emitChange();
  }

  /** @param {KeyboardEvent} event @param {boolean} down */
  #updateKey(event, down) {
    if (down) {
      if (!this.active || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!hasKey(KEYBOARD, event.code)) return;
      this.#keys.add(event.code);
    } else if (!this.#keys.delete(event.code)) return; // a held key is released also in a pause
    event.preventDefault();
    this.#emitChange();
  }

  #emitChange() {
    const keys = readKeyboard(KEYBOARD, this.#keys);
    let held = keys.buttons;
    for (const button of this.#presses.values()) held |= button;
    const { x, y } = this.#thumb === null ? keys : this.#axes;
    for (const { bit, element } of this.#buttons) {
      element.setAttribute('data-held', String((held & bit) !== 0));
    }
    if (this.#thumb === null) this.#drawStick((x / 127) * this.#radius, (y / 127) * this.#radius);
    this.onChange(x, y, held);
  }
}
