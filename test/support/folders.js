/** Folders of tests: temporary ones, and those that are kept between runs. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** @type {string[]} */
const temporary = [];
/** @type {string[]} */
const disks = [];
process.once('exit', () => {
  for (const disk of disks) execFileSync('umount', ['--lazy', disk]);
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/**
 * Makes a folder that is removed when the process ends. Hooks of a test run in the order in which they were added, so
 * its programs would still write to a folder that one of them removes.
 * @param {Parameters<typeof writeTree>[1]} [files] that it has @returns {string}
 */
export function temporaryFolder(files = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-test-'));
  temporary.push(folder);
  writeTree(folder, files);
  return folder;
}

/** Mounts a small disk until the process ends. Only root may. @param {number} bytes @returns {string} its folder */
export function mountDisk(bytes) {
  const folder = temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'pitv-test', folder]);
  disks.push(folder);
  return folder;
}

/** Fills a disk. @param {string} file on it */
export async function fillDisk(file) {
  try {
    for (;;) await appendFile(file, Buffer.alloc(2 ** 20));
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'ENOSPC') throw error;
  }
}

/**
 * Writes files, and the folders in which they are. Scripts, which begin with `#!`, can be run.
 * @param {string} folder @param {Record<string, string | Uint8Array>} files content by path in the folder
 */
export function writeTree(folder, files) {
  for (const [path, content] of Object.entries(files)) {
    const mode = String(content).startsWith('#!') ? 0o755 : 0o644;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content, { mode });
  }
}

/** Returns the beginning of a file's SHA-256, for the name of a folder that is made from it. @param {string} file */
export const hashOf = (file) =>
  createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12);

/**
 * Makes a folder unless it exists, also when several processes need it at the same moment.
 * @param {string} folder @param {(draft: string) => void} make fills an empty folder, which is then renamed
 */
export function makeOnce(folder, make) {
  if (existsSync(folder)) return;
  const draft = `${folder}.${process.pid}`;
  try {
    mkdirSync(draft, { recursive: true });
    make(draft);
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // otherwise another process was faster
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
