/** Reads results files and checks their format; writes files completely or not at all. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../../app/errors.js';
import { checkResults } from '../../report/results.js';
import { usage } from './usage.js';

/**
 * Replaces a file in one step. Empty text only checks that the file can be written.
 * @param {string} file @param {string | Buffer} text
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

/**
 * Creates a folder and its parents, one by one, because mkdir with the option `recursive` never returns in /proc.
 * @param {string} path absolute
 * @throws {import('../../../app/errors.js').PitvError} PITV_USAGE
 */
export function makeFolder(path) {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    throw usage(`${path} can't be created: ${messageOf(error)}.`);
  }
}

/**
 * Reads a results file.
 * @param {string} file
 * @returns {import('../../report/results.js').Results}
 * @throws {import('../../../app/errors.js').PitvError} PITV_USAGE
 */
export function readResults(file) {
  let content;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw usage(`${file} can't be read as JSON: ${messageOf(error)}.`);
  }
  try {
    return checkResults(content);
  } catch (error) {
    throw usage(`${file} ${messageOf(error)}.`);
  }
}
