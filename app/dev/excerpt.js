/** Shows the lines of a game's source around an error. The place comes from the game, and may be anything. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { visibleText } from '../errors/visible-text.js';
import { listSourceFiles } from '../packages/package-folder.js';

const LINES_BEFORE = 3;
const LINES_AFTER = 2;
const MAX_CHARS = 160;
const MAX_FILE_BYTES = 1024 * 1024;

/** @typedef {{file: string, line: number, lines: {number: number, text: string}[]}} Excerpt */

/**
 * Reads an excerpt.
 * @param {string | undefined} path of the copy of the package
 * @param {string | undefined} place file and line, such as 'pong.js:12'
 * @param {string} [module] path of the game's module in the package: files are named from its folder
 * @returns {Promise<Excerpt | undefined>} undefined if the package has no such line
 */
export async function readExcerpt(path, place, module = '') {
  const [, name, digits] = /^(.+):(\d{1,7})$/.exec(place ?? '') ?? [];
  if (!path || !name) return undefined;
  const file = module.includes('/') ? `${module.slice(0, module.lastIndexOf('/'))}/${name}` : name;
  const files = await listSourceFiles(path).catch(() => []);
  const about = files.find((each) => each.path === file);
  if (!about || about.size > MAX_FILE_BYTES) return undefined; // it names no other files than those of the package
  const line = Number(digits);
  const all = (await readFile(join(path, file), 'utf8')).split('\n');
  if (line < 1 || line > all.length) return undefined;
  const first = Math.max(1, line - LINES_BEFORE);
  const lines = all.slice(first - 1, line + LINES_AFTER);
  return {
    file,
    line,
    lines: lines.map((text, i) => ({
      number: first + i,
      text: visibleText(text.replace(/\r$/, '').slice(0, MAX_CHARS)),
    })),
  };
}
