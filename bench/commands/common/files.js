/** Results files: read with their form checked, written whole or not at all. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { messageOf } from '../../../app/errors.js';
import { SCHEMA } from '../../report/results.js';
import { usage } from './usage.js';

/**
 * A reader sees the old file or the whole new one. Empty text only tries whether it can be done.
 * @param {string} file @param {string} text
 */
export function writeAtomically(file, text) {
  const fresh = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(fresh, text);
    if (text === '') rmSync(fresh);
    else renameSync(fresh, file);
  } catch (error) {
    throw usage(`${file} can't be written: ${messageOf(error)}.`);
  }
}

/** @param {string} file @returns {import('../../report/results.js').Results} */
export function readResults(file) {
  let results;
  try {
    results = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw usage(`${file} can't be read as JSON: ${messageOf(error)}.`);
  }
  if (results?.schema !== SCHEMA || !Array.isArray(results.rows)) {
    const is =
      results?.schema === undefined ? 'no results of the harness' : `form ${results.schema}`;
    throw usage(`${file} holds ${is}; form ${SCHEMA} is read here.`);
  }
  return results;
}
