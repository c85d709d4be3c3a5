/** A worker's side of an inspection: reads what is wanted, does it, and says how it went. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { messageOf } from '../../errors.js';
import { captureInspection } from './capture-inspection.js';

/** @param {string} base see ask.js */
export async function answer(base) {
  let said;
  try {
    await captureInspection(JSON.parse(await readFile(`${base}.request`, 'utf8')));
    said = {};
  } catch (error) {
    said = { code: Reflect.get(Object(error), 'code'), message: messageOf(error) };
  }
  await writeFile(`${base}.tmp`, JSON.stringify(said), { mode: 0o600 });
  await rename(`${base}.tmp`, `${base}.answer`);
}
