/**
 * Serves the pages from memory. A file is read and compressed at its first request, and again when it has
 * changed, so a response holds no descriptor and no compressor, however slowly its client reads.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const APP = fileURLToPath(new URL('..', import.meta.url));
const WEB = join(APP, 'web');
/** Files that pages and TV share; the browser gets the very same one. */
const SHARED = Object.freeze({
  '/lib/frame.js': 'game/frame.js',
  '/lib/input.js': 'game/input.js',
  '/lib/player-colors.js': 'match/player-colors.js',
});
const PAGES = Object.freeze({ '/': 'screen', '/pad': 'pad', '/admin': 'admin' });
/** How long a file is served without a look at the disk. */
const CHECK_MS = 1000;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * @typedef {object} Page
 * @property {string} version of the file: its size and time of change
 * @property {string} etag
 * @property {Buffer} packed compressed with gzip
 */

/** Lists what is served: path in the URL -> file. @returns {Map<string, string>} */
function listFiles() {
  /** @type {Map<string, string>} */
  const files = new Map();
  for (const entry of readdirSync(WEB, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isFile()) files.set(file.slice(WEB.length), file);
  }
  for (const [path, file] of Object.entries(SHARED)) files.set(path, join(APP, file));
  for (const [path, folder] of Object.entries(PAGES)) {
    files.set(path, join(WEB, folder, 'index.html'));
  }
  return files;
}

/** @param {string} file @param {string} version @returns {Promise<Page>} */
async function loadPage(file, version) {
  const bytes = await readFile(file);
  const hash = createHash('sha256').update(bytes).digest('base64url');
  return { version, etag: `W/"${hash}"`, packed: await compress(bytes) };
}

/** Returns a function that looks at the disk at most once in CHECK_MS. @param {string} file */
function cached(file) {
  let checkedAt = -Infinity;
  /** @type {Promise<Page> | undefined} */
  let page;
  return () => {
    const now = performance.now();
    if (page && now - checkedAt < CHECK_MS) return page;
    checkedAt = now;
    const before = page;
    page = (async () => {
      const { size, mtimeMs } = await stat(file);
      const version = `${size} ${mtimeMs}`;
      const old = await before;
      return old?.version === version ? old : loadPage(file, version);
    })();
    page.catch(() => (page = undefined));
    return page;
  };
}

/**
 * Makes the request handler for pages, scripts, styles and pictures. Other paths are left to the next one.
 * @returns {import('express').RequestHandler}
 */
export function servePages() {
  const pages = new Map(
    [...listFiles()].map(([path, file]) => [path, { file, get: cached(file) }]),
  );
  return async (request, response, next) => {
    const page = pages.get(request.path);
    if (!page || (request.method !== 'GET' && request.method !== 'HEAD')) return next();
    const { etag, packed } = await page.get();
    // "no-cache": the browser keeps the file, and asks whether it has changed before it uses it.
    response.set({ 'Cache-Control': 'no-cache', ETag: etag, Vary: 'Accept-Encoding' });
    response.type(extname(page.file));
    if (!request.acceptsEncodings('gzip')) return response.send(await decompress(packed));
    return response.set('Content-Encoding', 'gzip').send(packed);
  };
}
