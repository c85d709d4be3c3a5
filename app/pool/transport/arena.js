/**
 * Memory that a pool shares with all of its workers. A view of it travels without a copy: only its place is sent, and
 * both sides then read and write the same bytes.
 *
 * The pool alone decides which parts are in use, in memory of its own. A block is free again when no view of it is left
 * in the pool's process, and no task has it.
 */
import { PitvError } from '../../errors.js';
import { native } from '../../native/native.js';

/** Blocks begin at a page, so that the memory of a free block can be returned to the system. */
const PAGE = 4096;
const MAX_BYTES = 1 << 30;
const DEFAULT_BYTES =
  process.arch === 'arm' || process.arch === 'ia32' ? MAX_BYTES / 16 : MAX_BYTES / 2;
/** Above this number, a worker forgets its views of blocks. It makes them again when they are needed. */
const MAX_KNOWN = 1024;

/** @typedef {import('./codec.js').Blocks} Blocks */
/** @typedef {import('./codec.js').Block} Block */

/** The pool's side. @implements {Blocks} */
export class Arena {
  #memory;
  /** @type {{at: number, bytes: number}[]} free parts in the order of their places */
  #free;
  #lastId = 0;
  /** @type {Map<number, Block & {bytes: number, buffer: WeakRef<ArrayBuffer>}>} */
  #blocks = new Map();
  /** @type {WeakMap<ArrayBufferLike, Block>} */
  #known = new WeakMap();
  #registry = new FinalizationRegistry((/** @type {number} */ id) => this.#collect(id));

  constructor(bytes = DEFAULT_BYTES) {
    this.#memory = native().createArena(bytes);
    native().ownDescriptor(this.#memory.fd);
    this.#free = [{ at: 0, bytes }];
  }

  /** Descriptor from which workers map the memory. */
  get fd() {
    return this.#memory.fd;
  }

  /**
   * Allocates zeroed memory.
   * @param {number} size in bytes, at least 1
   * @returns {ArrayBuffer}
   * @throws {PitvError} PITV_POOL_MEMORY_FULL
   */
  allocate(size) {
    const bytes = Math.ceil(size / PAGE) * PAGE;
    const part = this.#free.find((each) => each.bytes >= bytes);
    if (!part) {
      const sentence = `The pool's shared memory has no ${size} bytes left. Drop references to earlier allocations, or copy the data instead.`;
      throw new PitvError('PITV_POOL_MEMORY_FULL', sentence);
    }
    const { at } = part;
    part.at += bytes;
    part.bytes -= bytes;
    if (part.bytes === 0) this.#free.splice(this.#free.indexOf(part), 1);
    const buffer = native().viewMemory(this.#memory.buffer, at, size);
    const block = { id: ++this.#lastId, at, size, bytes, buffer: new WeakRef(buffer) };
    this.#blocks.set(block.id, block);
    this.#known.set(buffer, block);
    this.#registry.register(buffer, block.id);
    return buffer;
  }

  /** Frees the memory once no view of it is left. allocate() must not be called any more. */
  close() {
    this.#blocks.clear();
    native().closeDescriptor(this.fd);
    native().unmapMemory(this.#memory.buffer);
  }

  /** @param {ArrayBufferLike} buffer @returns {Block | undefined} */
  find(buffer) {
    return this.#known.get(buffer);
  }

  /** Returns the buffer of a block that a worker has sent back. @param {number} id @returns {ArrayBuffer} */
  bufferOf(id) {
    const buffer = this.#blocks.get(id)?.buffer.deref();
    if (buffer) return buffer;
    throw new PitvError('PITV_POOL_MESSAGE', 'A worker has sent back memory that is free.');
  }

  /** Frees a block. Its pages are returned to the system, so the next block there is zeroed. @param {number} id */
  #collect(id) {
    const block = this.#blocks.get(id);
    if (!block) return;
    this.#blocks.delete(id);
    const { at, bytes } = block;
    native().discardMemory(this.#memory.buffer, at, bytes);
    const index = this.#free.findIndex((part) => part.at > at);
    this.#free.splice(index < 0 ? this.#free.length : index, 0, { at, bytes });
    this.#free = this.#free.reduce((/** @type {{at: number, bytes: number}[]} */ parts, part) => {
      const last = parts.at(-1);
      if (last && last.at + last.bytes === part.at) last.bytes += part.bytes;
      else parts.push(part);
      return parts;
    }, []);
  }
}

/** A worker's side. @implements {Blocks} */
export class ArenaView {
  #fd;
  /** @type {import('../../native/native.js').ArenaMemory | undefined} mapped at the first use */
  #memory;
  /** @type {Map<number, WeakRef<ArrayBuffer>>} */
  #known = new Map();
  /** @type {WeakMap<ArrayBufferLike, Block>} */
  #blocks = new WeakMap();

  /** @param {number} fd descriptor of the pool's arena, which stays open */
  constructor(fd) {
    this.#fd = fd;
  }

  /** @param {ArrayBufferLike} buffer @returns {Block | undefined} */
  find(buffer) {
    return this.#blocks.get(buffer);
  }

  /** @param {number} id @param {number} at @param {number} size @returns {ArrayBuffer} */
  bufferOf(id, at, size) {
    const known = this.#known.get(id)?.deref();
    if (known) return known;
    this.#memory ??= native().mapArena(this.#fd);
    const buffer = native().viewMemory(this.#memory, at, size);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(id, new WeakRef(buffer));
    this.#blocks.set(buffer, { id, at, size });
    return buffer;
  }
}

/**
 * Maps the shared memory of a worker.
 * @param {number} fd may be closed afterwards
 * @returns {import('./layout.js').View}
 */
export function mapView(fd) {
  const memory = native().mapArena(fd);
  return (offset, bytes) => new Uint8Array(native().viewMemory(memory, offset, bytes));
}
