import { byId } from '../lib/dom.js';
import { BUTTON_A, BUTTON_B } from '../lib/input.js';
import { dragMiddle, keyAxes, stickAxes } from '../lib/stick.js';

/**
 * Thumbs and keys to one state: a joystick that is where the left thumb comes down, two buttons
 * of which the nearer one to the right thumb counts, and the keyboard of a desktop.
 */

/** Share of the ring's width that is full deflection. */
const REACH = 0.42;

/** @type {Record<string, 'left' | 'right' | 'up' | 'down'>} */
const KEYS = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
  KeyA: 'left',
  KeyD: 'right',
  KeyW: 'up',
  KeyS: 'down',
};
/** @type {Record<string, number>} */
const KEY_BUTTONS = { Space: BUTTON_A, KeyJ: BUTTON_A, Enter: BUTTON_B, KeyK: BUTTON_B };

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
  /** @type {number | null} the pointer that holds the stick */
  #thumb = null;
  #middle = { x: 0, y: 0 };
  #radius = 60;
  #axes = { x: 0, y: 0 };
  /** @type {Map<number, number>} pointer -> button it holds */
  #presses = new Map();
  #keys = { left: false, right: false, up: false, down: false };
  /** @type {Set<string>} codes of held keys that are buttons */
  #keyButtons = new Set();

  /** @param {(x: number, y: number, buttons: number) => void} onChange axes -127..127, held buttons */
  constructor(onChange) {
    this.onChange = onChange;
    listen(this.#zone, {
      down: (event) => this.#stickDown(event),
      move: (event) => this.#stickMove(event),
      up: (event) => this.#stickUp(event),
    });
    listen(this.#pad, {
      down: (event) => this.#press(event),
      move: (event) => this.#presses.has(event.pointerId) && this.#press(event),
      up: (event) => this.#let(event),
    });
    document.addEventListener('keydown', (event) => this.#key(event, true));
    document.addEventListener('keyup', (event) => this.#key(event, false));
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState !== 'visible') this.release();
    });
    addEventListener('blur', () => this.release());
    addEventListener('pagehide', () => this.release());
  }

  /** Lets everything go. */
  release() {
    this.#thumb = null;
    this.#axes = { x: 0, y: 0 };
    this.#presses.clear();
    this.#keys = { left: false, right: false, up: false, down: false };
    this.#keyButtons.clear();
    this.#drawStick(0, 0);
    this.#ring.style.transform = '';
    this.#zone.setAttribute('data-held', 'false');
    this.#changed();
  }

  /** @param {PointerEvent} event */
  #stickDown(event) {
    if (this.#thumb !== null) return;
    this.#thumb = event.pointerId;
    const size = this.#ring.offsetWidth;
    this.#radius = size * REACH;
    this.#middle = { x: event.clientX, y: event.clientY };
    this.#zone.setAttribute('data-held', 'true');
    this.#stickMove(event);
  }

  /** @param {PointerEvent} event */
  #stickMove(event) {
    if (event.pointerId !== this.#thumb) return;
    dragMiddle(this.#middle, event.clientX, event.clientY, this.#radius);
    const dx = event.clientX - this.#middle.x;
    const dy = event.clientY - this.#middle.y;
    this.#axes = stickAxes(dx, dy, this.#radius);
    this.#drawStick(dx, dy);
    this.#changed();
  }

  /** @param {PointerEvent} event */
  #stickUp(event) {
    if (event.pointerId !== this.#thumb) return;
    this.#thumb = null;
    this.#axes = { x: 0, y: 0 };
    this.#zone.setAttribute('data-held', 'false');
    this.#ring.style.transform = '';
    this.#drawStick(0, 0);
    this.#changed();
  }

  /** @param {number} dx px of the nub from the middle @param {number} dy */
  #drawStick(dx, dy) {
    this.#nub.style.transform = dx || dy ? `translate(${dx}px, ${dy}px)` : '';
    if (this.#thumb === null) return;
    const zone = this.#zone.getBoundingClientRect();
    const x = this.#middle.x - zone.left - this.#ring.offsetLeft - this.#ring.offsetWidth / 2;
    const y = this.#middle.y - zone.top - this.#ring.offsetTop - this.#ring.offsetHeight / 2;
    this.#ring.style.transform = `translate(${x}px, ${y}px)`;
  }

  /** A thumb is never looked at, so anywhere on the right side is a press of the nearer button.
   * @param {PointerEvent} event */
  #press(event) {
    const [a, b] = this.#buttons.map(({ element }) => {
      const box = element.getBoundingClientRect();
      const dx = event.clientX - (box.left + box.right) / 2;
      const dy = event.clientY - (box.top + box.bottom) / 2;
      return Math.hypot(dx, dy);
    });
    this.#presses.set(event.pointerId, a <= b ? BUTTON_A : BUTTON_B);
    this.#changed();
  }

  /** @param {PointerEvent} event */
  #let(event) {
    if (this.#presses.delete(event.pointerId)) this.#changed();
  }

  /** @param {KeyboardEvent} event @param {boolean} down */
  #key(event, down) {
    if (!this.active || event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = KEYS[event.code];
    const button = KEY_BUTTONS[event.code];
    if (!direction && !button) return;
    event.preventDefault();
    if (direction) this.#keys[direction] = down;
    else if (down) this.#keyButtons.add(event.code);
    else this.#keyButtons.delete(event.code);
    this.#changed();
  }

  #changed() {
    let held = 0;
    for (const button of this.#presses.values()) held |= button;
    for (const code of this.#keyButtons) held |= KEY_BUTTONS[code];
    const keys = keyAxes(this.#keys);
    const { x, y } = this.#thumb === null ? keys : this.#axes;
    for (const { bit, element } of this.#buttons) {
      element.setAttribute('data-held', String((held & bit) !== 0));
    }
    if (this.#thumb === null) this.#drawStick((x / 127) * this.#radius, (y / 127) * this.#radius);
    this.onChange(x, y, held);
  }
}

/**
 * @param {HTMLElement} element
 * @param {Record<'down' | 'move' | 'up', (event: PointerEvent) => void>} handlers
 */
function listen(element, { down, move, up }) {
  element.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    down(event);
  });
  element.addEventListener('pointermove', move);
  element.addEventListener('pointerup', up);
  element.addEventListener('pointercancel', up);
  element.addEventListener('lostpointercapture', up);
  // Safari: touch-action alone does not stop the magnifying glass and the swipe back.
  element.addEventListener('touchstart', (event) => event.preventDefault(), { passive: false });
}
