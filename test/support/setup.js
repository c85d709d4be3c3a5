/** Runs the card's pitv-setup with a folder as the boot partition. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { temporaryFolder, writeTree } from './folders.js';

const run = promisify(execFile);
export const COMMON = fileURLToPath(new URL('../../image/common', import.meta.url));
const SETUP = join(COMMON, 'root/usr/libexec/pitv/setup');
const COUNTRIES = '#code\tname\nDE\tGermany\nFR\tFrance\nGB\tBritain (UK)\nKR\tKorea (South)\n';

/** @typedef {Awaited<ReturnType<typeof setUp>>} Outcome what the script has written */

/**
 * Runs the script in a new system.
 * @param {Record<string, string | Uint8Array>} files of the boot partition @param {NodeJS.ProcessEnv} [env]
 * @param {(root: string) => Promise<unknown>} [prepare] changes the system before the script runs
 */
export async function setUp(files, env = {}, prepare = async () => {}) {
  const root = temporaryFolder({ 'zones/Europe/Berlin': 'TZif2', 'zones/iso3166.tab': COUNTRIES });
  const boot = join(root, 'boot/firmware');
  for (const folder of [boot, join(root, 'data/pitv')]) await mkdir(folder, { recursive: true });
  writeTree(boot, files);
  await prepare(root);
  const { stdout, stderr } = await run('sh', [SETUP], {
    env: { ...env, PITV_ROOT: root, PITV_ZONES: join(root, 'zones') },
    timeout: 60_000,
  });
  /** @param {string} path */
  const text = (path) => readFile(join(root, path), 'utf8').catch(() => undefined);
  const lines = (/** @type {string | undefined} */ content) =>
    (content ?? '').split('\n').filter((line) => line !== '');
  return {
    problems: lines(await text('run/pitv/problems/settings')),
    tv: Object.fromEntries(
      lines(await text('run/pitv/tv.env')).map((line) => {
        const [name, ...rest] = line.split('=');
        return [name, rest.join('=')];
      }),
    ),
    wifi: await text('run/pitv/wpa_supplicant.conf'),
    keys: await text('run/pitv/authorized_keys'),
    hostname: (await text('run/pitv/hostname'))?.trim(),
    ksm: (await text('run/pitv/ksm')) !== undefined,
    password: (await text('data/setup/new-admin-password'))?.replace(/\n$/, ''),
    output: stdout + stderr, // for the journal
    boot: (/** @type {string} */ name) => readFile(join(boot, name)),
    files: (await readdir(root, { recursive: true })).sort(),
  };
}
