/** Reads and makes archives of packages: .tgz files with one folder at their top, as npm makes them. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { PitvError, firstSentenceOf } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { limitBytes } from '../storage/limit-bytes.js';
import { refused, shown, tooLarge } from './package-folder.js';

/** The folder at the top of an archive that `npm pack` makes. */
const TOP = 'package';
/** Headers and padding of a file in an archive, bytes; and of the blocks at its end. */
const ENTRY_BYTES = 4096;
const END_BYTES = 64 * 1024;
/** Attributes of one file in an archive, such as a long name, bytes. */
const MAX_ATTRIBUTES = 16 * 1024;
/** A fixed time, so that the same files make the same archive. */
const EPOCH = new Date('1985-10-26T08:15:00.000Z'); // as npm pack has it
const FILE_TYPES = ['File', 'OldFile', 'ContiguousFile'];

/** @typedef {import('./package-folder.js').PackageFolder} PackageFolder */
/** @typedef {import('tar').ReadEntry} ReadEntry */

/**
 * Unpacks an archive. The target gets regular files and folders only; any other entry is an error.
 * @param {string | Uint8Array} archive its path, or itself @param {PackageFolder} target
 * @throws {PitvError} PITV_PACKAGE_ARCHIVE, PITV_PACKAGE_SIZE, or the error of the file system
 */
export async function unpack(archive, target) {
  const { Parser } = await import('tar');
  // The parser would decompress once more, without a limit. It refuses that if nothing may become larger.
  const options = { strict: true, maxMetaEntrySize: MAX_ATTRIBUTES, maxDecompressionRatio: 0 };
  const parser = new Parser(options);
  const entries = new Entries(parser, target);
  try {
    await pipeline(
      typeof archive === 'string' ? createReadStream(archive) : [archive],
      limit(LIMITS.packageArchiveBytes.value, 'The archive'),
      createGunzip(),
      limit(MAX_UNPACKED, 'The unpacked archive'),
      (chunks) => entries.read(chunks),
      { signal: entries.signal },
    );
  } catch (error) {
    throw asRefusal(await entries.abort(error));
  }
}

/** @param {number} max bytes @param {string} what the beginning of the sentence */
const limit = (max, what) => limitBytes(max, () => tooLarge(`${what} has more than ${max} bytes.`));

const MAX_UNPACKED =
  LIMITS.packageBytes.value + LIMITS.packageFiles.value * ENTRY_BYTES + END_BYTES;

/** @param {unknown} error of the pipeline @returns {unknown} */
function asRefusal(error) {
  const code = String(Reflect.get(Object(error), 'code') ?? '');
  if (error instanceof PitvError || /^E[A-Z]+$/.test(code)) return error;
  const why = firstSentenceOf(error);
  return refused(`The archive cannot be read as a gzipped tar archive: ${why}`, error);
}

/** Writes the entries of an archive to a package's folder, one after the other. */
class Entries {
  #parser;
  #target;
  #stop = new AbortController();
  /** @type {Promise<void>} */
  #last = Promise.resolve();
  /** @type {string | undefined} */
  #top;
  /** The one that is being written. @type {ReadEntry | undefined} */
  #current;

  /** @param {import('tar').Parser} parser @param {PackageFolder} target */
  constructor(parser, target) {
    this.#parser = parser;
    this.#target = target;
    parser.on('entry', (entry) => this.#add(entry));
    parser.on('ignoredEntry', (entry) => this.#stop.abort(notAFile(entry)));
    parser.on('error', (error) => this.#stop.abort(error));
  }

  /** Is aborted with the first error. */
  get signal() {
    return this.#stop.signal;
  }

  /**
   * Passes an archive to the parser, and waits until all entries have been written.
   * @param {AsyncIterable<Buffer>} chunks @throws {unknown} the first error, or an AbortError
   */
  async read(chunks) {
    const { signal } = this;
    const parser = this.#parser;
    let isOver = false;
    parser.once('eof', () => (isOver = true));
    const ended = once(parser, 'end', { signal });
    ended.catch(() => {}); // awaited below
    for await (const chunk of chunks) {
      // After the end of the archive the parser would collect all further bytes, in quadratic time.
      if (!isOver && !parser.write(chunk)) await once(parser, 'drain', { signal });
    }
    parser.end();
    await ended;
    await this.#last;
    signal.throwIfAborted();
  }

  /** Ends the writing. @param {unknown} error @returns {Promise<unknown>} the first error */
  async abort(error) {
    this.#stop.abort(error);
    this.#current?.destroy(error);
    await this.#last;
    return this.signal.reason;
  }

  /** @param {ReadEntry} entry */
  #add(entry) {
    entry.on('error', () => {}); // the reader of the entry gets it, too
    this.#last = this.#last.then(async () => {
      if (this.signal.aborted) return;
      this.#current = entry;
      try {
        await this.#write(entry);
        entry.resume();
      } catch (error) {
        this.#stop.abort(error);
      }
    });
  }

  /** @param {ReadEntry} entry */
  async #write(entry) {
    const { type, size } = entry;
    const isFolder = type === 'Directory';
    if (!isFolder && !FILE_TYPES.includes(type)) throw notAFile(entry);
    const [top, ...rest] = entry.path.replace(/^\.\//, '').replace(/\/$/, '').split('/');
    if (entry.path.startsWith('/') || top === '..') {
      throw refused(`The path ${shown(entry.path)} leads out of the package.`);
    }
    this.#top ??= top;
    if (top !== this.#top || (rest.length === 0 && !isFolder)) {
      throw refused(
        `The archive must have one folder at its top, as \`pitv games pack\` and \`npm pack\` make it; it contains ${shown(entry.path)}.`,
      );
    }
    const path = rest.join('/');
    if (isFolder && path) await this.#target.addFolder(path);
    else if (!isFolder) await this.#target.addFile(path, size, entry);
  }
}

/** @param {ReadEntry} entry */
const notAFile = ({ path, type }) =>
  refused(
    `The archive contains ${shown(path)}, which is neither a file nor a folder but ${type}. Links, devices and attributes that are too long are not accepted.`,
  );

/** Makes an archive. @param {string} folder @param {string[]} files paths in the folder @param {string} out path */
export async function pack(folder, files, out) {
  const { create } = await import('tar');
  await create(
    { file: out, cwd: folder, gzip: true, portable: true, prefix: TOP, mtime: EPOCH },
    files.map((name) => (name.startsWith('@') ? `./${name}` : name)), // tar reads "@name" as an archive
  );
}
