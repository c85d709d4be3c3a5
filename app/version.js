import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

const FILE = new URL('../package.json', import.meta.url);

/** @returns {Promise<string>} the version in package.json */
export async function readVersion() {
  return JSON.parse(await readFile(FILE, 'utf8')).version;
}

/** @returns {string} the version in package.json */
export function readVersionSync() {
  return JSON.parse(readFileSync(FILE, 'utf8')).version;
}
