/**
 * Serves the pages from memory. A file is read and compressed at its first request, and again when it has changed. A
 * response therefore holds no file descriptor and no compressor, however slowly its client reads.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { AUTO } from '../language/index.js';

const APP = fileURLToPath(new URL('..', import.meta.url));
const WEB = join(APP, 'web');
/** Modules that the pages share with the TV. Pages import them as ../../game/frame.js, which is the same file here. */
const SHARED = Object.freeze([
  'game/frame.js',
  'game/frame-difference.js',
  'game/frame-reader.js',
  'game/replay-file.js',
  'game/input.js',
  'match/player-colors.js',
]);
/** The version of the pages for old browsers. `make pages` makes it. */
const OLD = fileURLToPath(new URL('../../build/web', import.meta.url));
const SCREEN = '/';
const PAGES = Object.freeze({
  [SCREEN]: 'screen',
  '/pad': 'pad',
  '/admin': 'admin',
  '/wifi': 'wifi',
  '/replay': 'replay',
  '/too-old': 'old',
});
/** Time for which a file is served without checking it on the disk. */
const CHECK_MS = 1000;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * @typedef {object} Page
 * @property {string} version size and modification time of the file, and what was added
 * @property {string} etag
 * @property {Buffer} packed compressed with gzip
 */

/** Lists the served files. @returns {Map<string, string>} path in the URL -> path of the file */
function listFiles() {
  /** @type {Map<string, string>} */
  const files = new Map();
  for (const entry of readdirSync(WEB, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isFile()) files.set(file.slice(WEB.length), file);
  }
  for (const name of existsSync(OLD) ? readdirSync(OLD) : []) {
    files.set(`/old/${name}`, join(OLD, name));
  }
  for (const path of SHARED) files.set(`/${path}`, join(APP, path));
  for (const [path, folder] of Object.entries(PAGES)) {
    files.set(path, join(WEB, folder, 'index.html'));
  }
  return files;
}

/**
 * Reads and compresses a file.
 * @param {string} file @param {string} version @param {string} attributes to add to its element html
 * @returns {Promise<Page>}
 */
async function loadPage(file, version, attributes) {
  let bytes = await readFile(file);
  if (attributes) bytes = Buffer.from(`${bytes}`.replace('<html ', `<html ${attributes}`));
  const hash = createHash('sha256').update(bytes).digest('base64url');
  return { version, etag: `W/"${hash}"`, packed: await compress(bytes) };
}

/**
 * Returns a function that returns a file's page, and checks the file at most once in CHECK_MS.
 * @param {string} file @param {() => string} [attributes] of its element html
 */
function cached(file, attributes = () => '') {
  let checkedAt = -Infinity;
  /** @type {Promise<Page> | undefined} */
  let page;
  return () => {
    const now = performance.now();
    if (page && now - checkedAt < CHECK_MS) return page;
    checkedAt = now;
    const previous = page;
    page = (async () => {
      const { size, mtimeMs } = await stat(file);
      const added = attributes();
      const version = `${size} ${mtimeMs} ${added}`;
      const old = await previous;
      return old?.version === version ? old : loadPage(file, version, added);
    })();
    page.catch(() => (page = undefined));
    return page;
  };
}

/**
 * Writes settings of the TV as attributes of a page, see web/lib/language.js and web/lib/sound.js.
 * @param {{language: string, volume: () => number}} settings @returns {string}
 */
function attributesOf({ language, volume }) {
  const chosen = language === AUTO ? '' : `data-language="${language}" `;
  return `data-volume="${volume()}" ${chosen}`;
}

/**
 * Makes the handler for pages, scripts, styles and pictures. It passes requests for other paths to the next handler.
 * @param {{language: string, volume: () => number}} settings of screens; language may be AUTO
 * @returns {import('express').RequestHandler}
 */
export function servePages(settings) {
  /** @type {Map<string, {file: string, get: () => Promise<Page>}>} */
  const pages = new Map();
  for (const [path, file] of listFiles()) {
    const attributes = path === SCREEN ? () => attributesOf(settings) : undefined;
    pages.set(path, { file, get: cached(file, attributes) });
  }
  return async (request, response, next) => {
    const page = pages.get(request.path);
    if (!page || (request.method !== 'GET' && request.method !== 'HEAD')) return next();
    const { etag, packed } = await page.get();
    // "no-cache": the browser stores the file, and revalidates it before use.
    response.set({ 'Cache-Control': 'no-cache', ETag: etag, Vary: 'Accept-Encoding' });
    response.type(extname(page.file));
    if (!request.acceptsEncodings('gzip')) return response.send(await decompress(packed));
    return response.set('Content-Encoding', 'gzip').send(packed);
  };
}
