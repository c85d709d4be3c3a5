/** What tests do with a page, in terms of the few things that every way to drive a browser can do. */
import { writeFileSync } from 'node:fs';
import { poll } from '../harness/polling.js';

/** The longest wait of waitFor(), ms. */
const TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/**
 * @typedef {object} PageOptions
 * @property {string} url
 * @property {number} width px
 * @property {number} height
 * @property {boolean} [mobile] a phone with a touch screen
 * @property {string} [init] a script that runs before those of the page
 *
 * @typedef {{x: number, y: number}} Point px
 *
 * @typedef {object} Driver
 * @property {(expression: string) => Promise<any>} evaluateText evaluates an expression in the syntax of the oldest
 *   browser; a promise is awaited. Resolves with its value, as JSON can hold it
 * @property {() => Promise<string>} takePicture resolves with PNG in base64
 * @property {(type: 'start' | 'move' | 'end', at: Point) => Promise<unknown>} moveFinger puts a finger on the page,
 *   moves it, or lifts it
 */

/**
 * Makes the actions of WebDriver for a finger or a mouse.
 * @param {'touch' | 'mouse'} pointerType @param {'start' | 'move' | 'end'} type @param {Point} at
 */
export function pointerActions(pointerType, type, { x, y }) {
  const move = { type: 'pointerMove', duration: 0, x: Math.round(x), y: Math.round(y) };
  const actions = {
    start: [move, { type: 'pointerDown', button: 0 }],
    move: [move],
    end: [{ type: 'pointerUp', button: 0 }],
  }[type];
  return [{ type: 'pointer', id: pointerType, parameters: { pointerType }, actions }];
}

export class ScriptedPage {
  /** @param {Driver} driver @param {string[]} [errors] uncaught exceptions of the page */
  constructor(driver, errors = []) {
    this.driver = driver;
    this.errors = errors;
  }

  /**
   * Runs a function in the page. It must be in the syntax of the oldest browser.
   * @template T
   * @template {unknown[]} A
   * @param {(...args: A) => T} action
   * @param {A} args
   * @returns {Promise<Awaited<T>>}
   */
  async evaluate(action, ...args) {
    return this.driver.evaluateText(`(${action})(...${JSON.stringify(args)})`);
  }

  /**
   * Waits until a function returns a truthy value in the page.
   * @template T
   * @template {unknown[]} A
   * @param {string} what for the error
   * @param {(...args: A) => T} question
   * @param {A} args
   * @returns {Promise<Awaited<T>>}
   */
  async waitFor(what, question, ...args) {
    const ask = () => this.evaluate(question, ...args).catch(() => null); // during a navigation
    const answer = await poll(ask, TIMEOUT_MS, POLL_MS);
    if (answer) return answer;
    throw new Error(`gave up waiting until ${what}; errors: ${this.errors.join('; ')}`);
  }

  /** Waits until an element is visible. @param {string} selector */
  async visible(selector) {
    await this.waitFor(
      `${selector} is visible`,
      (css) => {
        const element = document.querySelector(css);
        return element !== null && element.getClientRects().length > 0;
      },
      selector,
    );
  }

  /**
   * Presses a finger on an element, until release() is called.
   * @param {string} selector
   * @param {Point} [direction] unit vector in which the finger then moves to the edge
   */
  async touch(selector, direction) {
    await this.visible(selector);
    const { x, y, reach } = await this.evaluate((css) => {
      const element = /** @type {Element} */ (document.querySelector(css));
      element.scrollIntoView({ block: 'center' });
      const box = element.getBoundingClientRect();
      return {
        x: box.left + box.width / 2,
        y: box.top + box.height / 2,
        reach: Math.min(box.width, box.height) / 2 - 2,
      };
    }, selector);
    await this.driver.moveFinger('start', { x, y });
    const at = direction ? { x: x + direction.x * reach, y: y + direction.y * reach } : { x, y };
    if (direction) await this.driver.moveFinger('move', at);
    return () => this.driver.moveFinger('end', at);
  }

  /** Taps an element. @param {string} selector */
  async tap(selector) {
    const release = await this.touch(selector);
    await release();
  }

  /** Writes a picture of the page. @param {string} path */
  async screenshot(path) {
    writeFileSync(path, Buffer.from(await this.driver.takePicture(), 'base64'));
  }
}
