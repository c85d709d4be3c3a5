/** Counts tests, notes which fail and how long files and stages take, and prints all of it at the end. */
import { relative } from 'node:path';
import { root } from './test-files.js';

/** Only files that take longer are listed, s. */
const LISTED_S = 5;

/** Lines of an error's message that are printed: a browser's log of an action follows the first one. */
const REASON_LINES = 12;

/** @param {number} seconds */
const inMinutes = (seconds) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`.padStart(6);

/** Prints a title and lines below it, if there are any. @param {string} title @param {string[]} lines */
function printList(title, lines) {
  if (lines.length > 0) console.log([title, ...lines].join('\n  '));
}

export class Tally {
  #passed = 0;
  /** @type {string[]} tests that failed, with the beginning of the error's message */
  #failures = [];
  /** @type {Map<string, string[]>} reason -> names of tests */
  #skipped = new Map();
  /** @type {Map<string, number>} file -> seconds of its tests */
  #secondsOf = new Map();
  /** @type {{name: string, seconds: number}[]} */
  #stages = [];

  /** Counts the tests of a stream. @param {ReturnType<typeof import('node:test').run>} tests */
  watch(tests) {
    tests.on('test:pass', (event) => {
      this.#addTime(event);
      if (event.skip !== undefined || event.todo !== undefined) this.#addSkipped(event);
      else if (event.details.type !== 'suite') this.#passed++;
    });
    tests.on('test:fail', (event) => {
      this.#addTime(event);
      if (event.details.type === 'suite') return;
      const { name, file = '', details } = event;
      const cause = details.error.cause ?? details.error;
      const lines = String(Reflect.get(Object(cause), 'message') ?? cause).split('\n');
      const why = lines.slice(0, REASON_LINES).join('\n      ');
      this.#failures.push(`${relative(root, file)}: ${name}: ${why}`);
    });
  }

  /** @param {{nesting: number, file?: string, details: {duration_ms: number}}} event */
  #addTime({ nesting, file = '', details }) {
    if (nesting > 0) return; // part of its suite's time
    const seconds = details.duration_ms / 1000;
    this.#secondsOf.set(file, (this.#secondsOf.get(file) ?? 0) + seconds);
  }

  /** @param {{name: string, file?: string, skip?: string | boolean, todo?: string | boolean}} event */
  #addSkipped({ name, file = '', skip, todo }) {
    const why = [skip, todo].find((each) => typeof each === 'string' && each !== '');
    const reason = typeof why === 'string' ? why : 'no reason given';
    const names = this.#skipped.get(reason) ?? [];
    this.#skipped.set(reason, [...names, `${relative(root, file)}: ${name}`]);
  }

  /** @param {string} name @param {number} seconds */
  addStage(name, seconds) {
    this.#stages.push({ name, seconds });
  }

  /** Prints times, skips and failures, then the closing line. @returns {boolean} whether tests ran and none failed */
  print() {
    const stages = new Set(this.#stages.map(({ name }) => name));
    const files = [...this.#secondsOf]
      .map(([file, seconds]) => ({ name: relative(root, file), seconds }))
      .filter(({ name, seconds }) => seconds > LISTED_S && !stages.has(name))
      .sort((a, b) => b.seconds - a.seconds);
    for (const { name, seconds } of [...files, ...this.#stages]) {
      console.log(`${inMinutes(seconds)} min  ${name}`);
    }
    for (const [reason, names] of this.#skipped) printList(`skipped (${reason}):`, names);
    if (this.#passed === 0 && this.#failures.length === 0) this.#failures.push('No test ran.');
    printList('failed:', this.#failures);
    const skipped = [...this.#skipped.values()].flat().length;
    const ending = skipped > 0 ? `, ${skipped} skipped` : '';
    console.log(`${this.#passed} passed, ${this.#failures.length} failed${ending}`);
    return this.#failures.length === 0;
  }
}
