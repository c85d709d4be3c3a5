import { readFileSync } from 'node:fs';

/** @returns {string} the version in package.json */
export const readVersion = () =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
