/** Opens a child's stdin, stdout and stderr: the child's descriptors and the streams of this process. */
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { native } from '../../native/native.js';

const NAMES = /** @type {const} */ (['stdin', 'stdout', 'stderr']);

/** @typedef {import('./options.js').Stdio} Stdio */

export class ChildStdio {
  /** Bit n is set if the child gets a new descriptor n. */
  mask = 0;
  /** @type {number[]} for the child, in the order of the bits */
  descriptors = [];
  /** @type {number[]} the descriptors for the child that were opened here by fs.open() */
  #opened = [];
  /** @type {number[]} the child's ends of pipes */
  #childEnds = [];
  /** @type {{n: number, fd: number}[]} this process's ends of pipes */
  #pipes = [];

  /**
   * Opens the descriptors.
   * @param {Stdio | [Stdio, Stdio, Stdio]} stdio for stdout and stderr, or for all three
   * @throws {Error} when no descriptor is left; nothing stays open then
   */
  constructor(stdio) {
    const kinds = Array.isArray(stdio) ? stdio : /** @type {Stdio[]} */ (['inherit', stdio, stdio]);
    try {
      for (const [n, kind] of kinds.entries()) if (kind !== 'inherit') this.#open(n, kind);
    } catch (error) {
      this.closeChildEnds();
      for (const { fd } of this.#pipes) native().closeDescriptor(fd);
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
    if (kind === 'ignore') {
      theirs = openSync('/dev/null', n === 0 ? 'r' : 'w');
      this.#opened.push(theirs);
    } else {
      const [reading, writing] = native().makePipe();
      theirs = n === 0 ? reading : writing;
      this.#childEnds.push(theirs);
      this.#pipes.push({ n, fd: n === 0 ? writing : reading });
    }
    this.descriptors.push(theirs);
  }

  /**
   * Opens the streams of this process's ends.
   * @returns {Record<'stdin' | 'stdout' | 'stderr', Socket | null>} null where the child has no pipe
   */
  openStreams() {
    /** @type {Record<'stdin' | 'stdout' | 'stderr', Socket | null>} */
    const streams = { stdin: null, stdout: null, stderr: null };
    for (const { n, fd } of this.#pipes) {
      const socket = new Socket({ fd, readable: n !== 0, writable: n === 0 });
      socket.on('error', () => {}); // 'close' follows
      streams[NAMES[n]] = socket;
    }
    return streams;
  }

  /** Closes the child's ends in this process, after they have been sent or the request has failed. */
  closeChildEnds() {
    for (const fd of this.#opened.splice(0)) closeSync(fd);
    for (const fd of this.#childEnds.splice(0)) native().closeDescriptor(fd);
  }
}
