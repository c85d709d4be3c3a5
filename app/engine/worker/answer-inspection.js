/**
 * Answers an inspection request in the worker: reads the request file, takes the profile and writes the answer file.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { messageOf } from '../../errors.js';
import { captureInspection } from './capture-inspection.js';

/** @param {string} base path of the files without their suffixes, see host/inspect-worker.js */
export async function answerInspection(base) {
  let answer;
  try {
    await captureInspection(JSON.parse(await readFile(`${base}.request`, 'utf8')));
    answer = {};
  } catch (error) {
    answer = { code: Reflect.get(Object(error), 'code'), message: messageOf(error) };
  }
  await writeFile(`${base}.tmp`, JSON.stringify(answer), { mode: 0o600 });
  await rename(`${base}.tmp`, `${base}.answer`);
}
