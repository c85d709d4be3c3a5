/** Adds to old browsers what the pages use and Chromium 68 or Safari 14 lack. `make pages` puts it before the pages. */

/**
 * Defines a property, unless the browser has it.
 * @param {object} target @param {string} name @param {unknown} value
 */
function define(target, name, value) {
  if (name in target) return;
  Object.defineProperty(target, name, { value, writable: true, configurable: true });
}

define(window, 'globalThis', window);

define(
  Array.prototype,
  'at',
  /** @this {unknown[]} @param {number} index */ function at(index) {
    return this[index < 0 ? this.length + index : index];
  },
);

define(
  Array.prototype,
  'flatMap',
  /** @this {unknown[]} @param {(item: unknown, index: number, all: unknown[]) => any} callback */
  function flatMap(callback) {
    return [].concat(...this.map(callback));
  },
);

define(
  Object,
  'fromEntries',
  /** @param {Iterable<[string, unknown]>} entries */ function fromEntries(entries) {
    /** @type {Record<string, unknown>} */
    const object = {};
    for (const [key, value] of entries) object[key] = value;
    return object;
  },
);

define(
  String.prototype,
  'matchAll',
  /** @this {string} @param {RegExp} pattern with the flag g */
  function* matchAll(pattern) {
    const copy = new RegExp(pattern);
    for (let match = copy.exec(this); match; match = copy.exec(this)) yield match;
  },
);

define(
  Element.prototype,
  'replaceChildren',
  /** @this {Element} @param {...(Node | string)} nodes */ function replaceChildren(...nodes) {
    this.textContent = '';
    this.append(...nodes);
  },
);

define(
  Element.prototype,
  'toggleAttribute',
  /** @this {Element} @param {string} name @param {boolean} isSet */
  function toggleAttribute(name, isSet) {
    if (isSet) this.setAttribute(name, '');
    else this.removeAttribute(name);
  },
);
