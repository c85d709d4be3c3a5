/** Functions that were seen, each once. */

/** @typedef {import('./ticks.js').Class} Class */

export class FrameList {
  /** @type {import('./ticks.js').Frame[]} */
  frames = [];
  /** @type {Map<string, number>} */
  #known = new Map();

  /** @param {string} name @param {Class} kind @returns {number} where it is among the frames */
  index(name, kind) {
    const key = `${kind} ${name}`;
    let index = this.#known.get(key);
    if (index === undefined) {
      index = this.frames.push({ name, kind }) - 1;
      this.#known.set(key, index);
    }
    return index;
  }
}
