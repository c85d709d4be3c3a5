import { basename, resolve } from 'node:path';
import { createPackage } from '../../packages/create.js';
import { print } from '../common/output.js';

export const help = `Usage: pitv games new <folder>

Makes a folder with a small game that works, a test and a README. The folder's name is the id of the game: lower-case
letters, digits and hyphens.
`;
export const operands = /** @type {[number, number]} */ ([1, 1]);

/** @param {Record<string, any>} _values @param {string[]} operands */
export async function run(_values, [folder]) {
  await createPackage(resolve(folder));
  const name = basename(resolve(folder));
  print(`Made ${folder}. Next:
  pitv games dev ${folder}    play it on a TV that follows your changes
  pitv games add ${folder}    install it: a TV shows ${name} within a second
  cd ${folder} && node --test    run its test
`);
}
