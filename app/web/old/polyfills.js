/** Adds to old browsers what the pages use and Chromium 68 or Safari 14 lack. `make pages` puts it before the pages. */

/** Defines a property, unless the browser has it. @param {object} target @param {string} name @param {unknown} value */
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
