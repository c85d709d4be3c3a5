/** Keeps the last lines that a game has written, by console.log() for example. */
import { DESCRIPTION } from './versions.js';

const MAX_LINES = 8;
const MAX_CHARS = 160;

export class GameOutput {
  /** For the screen. Each change makes a new array. @type {readonly string[]} */
  lines = [];
  /** What the newest version has written while it was read. @type {string[]} */
  #read = [];
  #print;

  /** @param {(line: string) => void} print is called with each line, for the terminal */
  constructor(print) {
    this.#print = print;
  }

  /**
   * Adds lines. What the worker that reads a version writes is kept for addRead(), because the worker of the match
   * writes it again.
   * @param {string} name of the worker @param {string} text
   */
  add(name, text) {
    const lines = text.split('\n');
    if (!name.endsWith(DESCRIPTION)) this.#addLines(lines);
    else this.#read = [...this.#read, ...lines].slice(-MAX_LINES);
  }

  /** Adds what a version has written that was read, but cannot be played. */
  addRead() {
    this.#addLines(this.#read);
  }

  /** @param {string[]} lines */
  #addLines(lines) {
    for (const line of lines) this.#print(`| ${line}`);
    const shown = lines.map((line) => line.slice(0, MAX_CHARS));
    this.lines = [...this.lines, ...shown].slice(-MAX_LINES);
  }

  /** Prepares for the next version. */
  beginRead() {
    this.#read = [];
  }

  clear() {
    this.lines = [];
  }
}
