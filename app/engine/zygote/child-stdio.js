/** The stdin, stdout and stderr of a child, on both sides. */
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { native } from '../../native/native.js';

const NAMES = /** @type {const} */ (['stdin', 'stdout', 'stderr']);

/** @typedef {import('./options.js').Stdio} Stdio */

export class ChildStdio {
  /** @type {Record<'stdin' | 'stdout' | 'stderr', Socket | null>} this side's streams of pipes */
  streams = { stdin: null, stdout: null, stderr: null };
  /** Bit n: the child gets a descriptor for its descriptor n. */
  mask = 0;
  /** @type {number[]} the child's, in order */
  descriptors = [];
  /** @type {number[]} those of them that were opened here */
  #opened = [];
  /** @type {{n: number, fd: number}[]} this side's ends of pipes */
  #pipes = [];

  /**
   * Opens what the child needs.
   * @param {Stdio | [Stdio, Stdio, Stdio]} stdio for stdout and stderr, or for all three
   * @throws {Error} of the system: no descriptor is left; nothing stays open then
   */
  constructor(stdio) {
    const wanted = Array.isArray(stdio)
      ? stdio
      : /** @type {Stdio[]} */ (['inherit', stdio, stdio]);
    try {
      for (const [n, kind] of wanted.entries()) if (kind !== 'inherit') this.#open(n, kind);
    } catch (error) {
      this.closeChildEnds();
      for (const { fd } of this.#pipes) closeSync(fd);
      throw error;
    }
  }

  /** @param {number} n @param {Stdio} kind */
  #open(n, kind) {
    this.mask |= 1 << n;
    if (typeof kind === 'number') {
      this.descriptors.push(kind);
      return;
    }
    let theirs;
    if (kind === 'ignore') theirs = openSync('/dev/null', n === 0 ? 'r' : 'w');
    else {
      const [reading, writing] = native().makePipe();
      theirs = n === 0 ? reading : writing;
      this.#pipes.push({ n, fd: n === 0 ? writing : reading });
    }
    this.descriptors.push(theirs);
    this.#opened.push(theirs);
  }

  /** Makes the streams of this side. */
  listen() {
    for (const { n, fd } of this.#pipes) {
      const socket = new Socket({ fd, readable: n !== 0, writable: n === 0 });
      socket.on('error', () => {}); // it ended: 'close' follows
      this.streams[NAMES[n]] = socket;
    }
  }

  /** Closes the child's ends here. The child has its own by then, or never will. */
  closeChildEnds() {
    for (const fd of this.#opened.splice(0)) closeSync(fd);
  }
}
