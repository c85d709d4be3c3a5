/**
 * A cache of folders, each named by a hash of its inputs. A folder is made under a temporary name and renamed
 * when it is complete, so an interrupted build leaves no incomplete folder.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, readlink, rename, rm, stat, utimes } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runAsRoot } from './shell.js';

/** The name of a layer's folder: the layer's name and its hash. */
const LAYER = /^(.+)-[0-9a-f]{16}$/;
/** Number of layers of each name that are kept longer. Root and card of a commit have 350 MB. */
const MAX_RECENT = 4;
const UNUSED_DAYS = 30;
const SURPLUS_DAYS = 1;

/** Returns the folder of the layers. It is outside of the work tree, so that a fresh clone can use them. */
export const cacheRoot = (env = process.env) =>
  env.PITV_IMAGE_CACHE ?? join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'pitv', 'image');

/**
 * Hashes a file or folder by its content, names and executable bits.
 * @param {import('node:crypto').Hash} hash @param {string} path @param {string} name
 */
async function hashPath(hash, path, name) {
  const about = await stat(path);
  if (about.isFile()) {
    const content = await readFile(path);
    const executable = about.mode & 0o111 ? 'x' : '-';
    hash.update(`file ${name} ${executable} ${content.length}\n`).update(content);
    return;
  }
  hash.update(`folder ${name}\n`);
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const at = join(path, entry.name);
    if (entry.isSymbolicLink()) hash.update(`link ${entry.name} ${await readlink(at)}\n`);
    else await hashPath(hash, at, entry.name);
  }
}

/**
 * Makes a layer if the cache does not have it.
 * @param {string} name
 * @param {(string | {file: string})[]} inputs everything that affects the result: texts, and paths of files and folders
 * @param {(folder: string) => Promise<unknown>} make fills an empty folder
 * @param {{root?: string, log?: (line: string) => void}} [options]
 * @returns {Promise<{folder: string, key: string}>}
 */
export async function layer(name, inputs, make, { root = cacheRoot(), log = () => {} } = {}) {
  const hash = createHash('sha256');
  for (const input of [name, ...inputs]) {
    if (typeof input === 'string') hash.update(`text ${input.length}\n${input}`);
    else await hashPath(hash, input.file, '.');
  }
  const key = hash.digest('hex').slice(0, 16);
  const folder = join(root, `${name}-${key}`);
  const now = new Date();
  const there = await utimes(folder, now, now).then(
    () => true, // the modification time is the time of the last use
    () => false,
  );
  if (there) {
    log(`${name}: in the cache (${key})`);
    return { folder, key };
  }
  const draft = join(root, `.${name}-${key}.${process.pid}`);
  const started = performance.now();
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  try {
    await make(draft);
    await rename(draft, folder).catch((error) => {
      if (!['EEXIST', 'ENOTEMPTY'].includes(error.code)) throw error; // another build was faster
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  log(`${name}: made in ${((performance.now() - started) / 1000).toFixed(1)} s (${key})`);
  return { folder, key };
}

/**
 * Deletes layers that were unused for a month, or for a day if there are four newer ones of the same name; and drafts
 * whose process has ended.
 * @param {string} [root]
 */
export async function sweep(root = cacheRoot()) {
  await sweepDrafts(root);
  const names = (await readdir(root).catch(() => [])).filter((name) => LAYER.test(name));
  const layers = await Promise.all(
    names.map(async (name) => ({
      path: join(root, name),
      kind: LAYER.exec(name)?.[1],
      usedMs: (await stat(join(root, name)).catch(() => ({ mtimeMs: Infinity }))).mtimeMs,
    })),
  );
  for (const { path, kind, usedMs } of layers) {
    const newer = layers.filter((each) => each.kind === kind && each.usedMs > usedMs).length;
    const days = newer < MAX_RECENT ? UNUSED_DAYS : SURPLUS_DAYS;
    if (Date.now() - usedMs > days * 86_400_000) await remove(path);
  }
}

/** Deletes drafts whose process was killed. @param {string} root */
export async function sweepDrafts(root) {
  for (const name of await readdir(root).catch(() => [])) {
    const maker = /^\..*\.(\d+)$/.exec(name)?.[1];
    if (maker !== undefined && !existsSync(`/proc/${maker}`)) await remove(join(root, name));
  }
}

/** @param {string} path */
const remove = (path) =>
  rm(path, { recursive: true, force: true }).catch(async (error) => {
    if (error.code !== 'EACCES') throw error;
    await runAsRoot('rm', ['-rf', path]); // files of users that exist only in a user namespace
  });
