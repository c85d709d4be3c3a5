/** Functions that try what a locked worker may not do. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';

/** @param {any} task */
export default function echo(task) {
  return task;
}
/** @param {string} file */
export const read = (file) => readFileSync(file, 'utf8').length;
/** @param {string} file */
export const write = (file) => writeFileSync(file, '');
export const spawn = () => {
  const { error, status } = spawnSync('true');
  if (error || status !== 0) throw error ?? new Error(`status ${status}`);
};
/** @param {number} port */
export const dial = (port) =>
  new Promise((resolve, reject) => {
    connect(port, '127.0.0.1', () => resolve('connected')).on('error', reject);
  });
export const environment = () => Object.keys(process.env);
