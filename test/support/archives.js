/** Makes archives of packages for tests, good and hostile ones, entry by entry. */
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { Header, Pax } from 'tar';
import { gameSource } from './game-files.js';
import { pngOf } from './pictures.js';
import { wavOf } from './sounds.js';

const BLOCK = 512;

/**
 * @typedef {object} Entry
 * @property {string} path
 * @property {string | Buffer} [text] content
 * @property {import('tar').types.EntryTypeName} [type] default: File
 * @property {string} [linkpath]
 * @property {number} [size] that the header names, if it is not that of the text
 */

/** @param {Entry} entry @returns {Buffer} header and padded content */
function encode({ path, text = '', type = 'File', linkpath, size }) {
  const content = typeof text === 'string' ? Buffer.from(text) : text;
  const header = new Header({ path, type, linkpath, size: size ?? content.length, mode: 0o644 });
  const block = Buffer.alloc(BLOCK);
  header.encode(block, 0);
  const padding = (BLOCK - (content.length % BLOCK)) % BLOCK;
  return Buffer.concat([block, content, Buffer.alloc(padding)]);
}

/** Makes a tar archive. @param {Entry[]} entries @returns {Buffer} */
export const tarOf = (entries) => Buffer.concat([...entries.map(encode), Buffer.alloc(2 * BLOCK)]);

/** Makes an entry with a path of any length. @param {string} path @param {string} text @returns {Entry[]} */
export const longEntry = (path, text) => [
  { path: 'PaxHeader/long', type: 'ExtendedHeader', text: new Pax({ path }).encodeBody() },
  { path: 'package/short', text },
];

/**
 * Returns the files of a package that works.
 * @param {string} id
 * @param {{version?: string, manifest?: object, files?: Record<string, string | Buffer>, game?: Parameters<typeof
 *   gameSource>[1]}} [parts]
 * @returns {Record<string, string | Buffer>} content by path
 */
export const packageFiles = (id, { version = '1.0.0', manifest, files, game } = {}) => ({
  'package.json': JSON.stringify({
    name: id,
    version,
    type: 'module',
    keywords: ['pitv-game'],
    pitv: { game: 'game.js', api: 1 },
    ...manifest,
  }),
  'game.js': gameSource(id, { kernel: 'pitv/game', ...game }),
  ...files,
});

/** Returns the entries of an archive of files. @param {Record<string, string | Buffer>} files @returns {Entry[]} */
export const entriesOf = (files) =>
  Object.entries(files).map(([path, text]) => ({ path: `package/${path}`, text }));

/** Writes an archive. @param {string} path @param {Entry[]} entries */
export function writeArchive(path, entries) {
  writeFileSync(path, gzipSync(tarOf(entries)));
  return path;
}

/**
 * Writes the archive of a package that works.
 * @param {string} path @param {string} id @param {Parameters<typeof packageFiles>[1]} [parts]
 */
export const writePackage = (path, id, parts) =>
  writeArchive(path, entriesOf(packageFiles(id, parts)));

export const MEDIA = {
  'art/ball.png': pngOf(8, 8),
  'art/other.png': pngOf(8, 8),
  'sounds/kick.wav': wavOf(20),
  'sounds/other.wav': wavOf(20),
};

/**
 * Returns the parts of a package that has MEDIA.
 * @param {string} [picture] of the balls @param {string} [sound] of the event
 */
export const mediaParts = (picture = 'art/ball.png', sound = 'sounds/kick.wav') => ({
  files: MEDIA,
  game: {
    top: `const kinds = [{ name: 'ball', look: 'ball', color: 'owner', picture: '${picture}' }];
      const events = [{ name: 'kick', effect: 'ring', sound: '${sound}', rumbleMs: 0 }];`,
    fields: "view: { width: 1600, height: 900, background: '#000000', kinds, events, extra: [] },",
  },
});
