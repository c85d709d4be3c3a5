/** The styles of a 2D drawing context. */

/**
 * The styles with their initial values in the HTML specification, and a stack of saved states.
 * @template G gradients
 */
export class Styles {
  /** Name -> initial value of everything that save() saves. @type {Readonly<Record<string, unknown>>} */
  #initial;
  /** @type {Record<string, unknown>[]} */
  #stack = [];
  /** @type {string | G} */
  fillStyle = '#000000';
  /** @type {string | G} */
  strokeStyle = '#000000';
  globalAlpha = 1;
  /** source-over or lighter */
  globalCompositeOperation = 'source-over';
  lineWidth = 1;
  /** butt or round */
  lineCap = 'butt';
  lineJoin = 'miter';
  /** Only the size is used. */
  font = '10px sans-serif';
  textAlign = 'start';
  /** alphabetic or middle */
  textBaseline = 'alphabetic';

  /** @param {Record<string, unknown>} [more] initial values of fields of a subclass that are saved, too */
  constructor(more) {
    this.#initial = { ...this, ...more };
  }

  /** Resets everything to its initial value, and clears the stack. */
  reset() {
    Object.assign(this, this.#initial);
    this.#stack = [];
  }

  /** Pushes the state onto the stack. */
  save() {
    const names = Object.keys(this.#initial);
    this.#stack.push(Object.fromEntries(names.map((name) => [name, Reflect.get(this, name)])));
  }

  /** Restores the last saved state. */
  restore() {
    Object.assign(this, this.#stack.pop());
  }
}
