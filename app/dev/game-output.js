/** Keeps the last lines that a game has written, by console.log() for example. */

const MAX_LINES = 8;
const MAX_CHARS = 160;

export class GameOutput {
  /** For the screen. Each change makes a new array. @type {readonly string[]} */
  lines = [];
  #print;

  /** @param {(line: string) => void} print is called with each line, for the terminal */
  constructor(print) {
    this.#print = print;
  }

  /** Adds lines. @param {string} text */
  add(text) {
    const lines = text.split('\n');
    for (const line of lines) this.#print(`| ${line}`);
    const shown = lines.map((line) => line.slice(0, MAX_CHARS));
    this.lines = [...this.lines, ...shown].slice(-MAX_LINES);
  }

  clear() {
    this.lines = [];
  }
}
