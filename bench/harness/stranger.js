/** Makes a game of pitv into one of others, to measure what the lock costs. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const GAMES = new URL('../../app/games/', import.meta.url);
const KERNEL = new URL('../../app/game/', import.meta.url).href;

/**
 * Copies a game that is one file. A TV locks the copy, and has none of its code in the zygote.
 * @param {string} parent folder @param {string} name of the game @param {string} id of the copy
 * @returns {string} the folder of the copy, which contains no other game
 */
export function writeStranger(parent, name, id) {
  const folder = join(parent, `stranger-${id}`);
  const source = readFileSync(new URL(`${name}.js`, GAMES), 'utf8')
    .replaceAll(`'../game/`, `'${KERNEL}`)
    .replace(`id: '${name}'`, `id: '${id}'`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${id}.js`), source);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  return folder;
}
