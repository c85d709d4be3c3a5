/** Adds to old browsers what the pages use and Chromium 68 or Safari 14 lack. `make pages` puts it before the pages. */

/** Defines what the browser lacks. @param {object} target @param {Record<string, unknown>} properties */
function define(target, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (name in target) continue;
    Object.defineProperty(target, name, { value, writable: true, configurable: true });
  }
}

define(window, { globalThis: window });
define(Array.prototype, {
  /** @this {unknown[]} @param {number} index */
  at(index) {
    return this[index < 0 ? this.length + index : index];
  },
  /** @this {unknown[]} @param {(item: unknown, index: number, all: unknown[]) => any} callback */
  flatMap(callback) {
    return [].concat(...this.map(callback));
  },
});
