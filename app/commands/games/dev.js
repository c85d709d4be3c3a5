import { EventEmitter } from 'node:events';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TEXT } from '../../config/flags.js';
import { parseSettings } from '../../config/parse.js';
import { OWN_GAMES } from '../../packages/catalog.js';
import { linkPitv } from '../../packages/link.js';
import { readManifest } from '../../packages/manifest.js';
import { listSourceFiles } from '../../packages/package-folder.js';
import { PitvError } from '../../errors.js';
import { runTv } from '../common/run-tv.js';
import { print } from '../common/output.js';
import { makeTemporary } from './common/packages.js';

export const help = `Usage: pitv games dev <folder> [options]

Starts a TV that plays the game in a folder, with its bots. Open its address in a browser. When you save a file, the match
continues with the new code; if the layout of the game's state has changed, a new match begins. An error is shown on the
screen with its line, and the last version that worked plays on. What the game writes by console.log() is printed here
and shown on the screen. The TV has a data directory of its own, which is deleted
at the end.

  --port N        TCP port; default as for pitv serve
  --host HOST     address to listen on; default as for pitv serve
  --engine NAME   how matches run; default as for pitv serve
  --log-level L   minimum level of log lines on stderr; default error
  --untrusted-games locked | open
                  open: also run the game where it cannot be locked; default as for pitv serve
`;
export const options = {
  port: TEXT,
  host: TEXT,
  engine: TEXT,
  'log-level': TEXT,
  'untrusted-games': TEXT,
};
export const operands = /** @type {[number, number]} */ ([1, 1]);

/** @param {Record<string, any>} values @param {string[]} operands */
export async function run(values, [given]) {
  const folder = resolve(given);
  await listSourceFiles(folder); // it can be read, and is not that of something else
  const { id } = await readManifest(folder);
  if (OWN_GAMES.includes(id)) {
    const sentence = `${id} is a game of pitv itself. Give the package another name.`;
    throw new PitvError('PITV_PACKAGE_CLASH', sentence);
  }
  await linkPitv(folder).catch(() => {}); // for editors and tests; the TV does not need it
  process.env.NODE_ENV = 'development'; // workers report more
  const dataDir = makeTemporary('pitv-games-dev-');
  try {
    const flags = Object.entries({ 'log-level': 'error', ...values, 'data-dir': dataDir });
    const settings = parseSettings(flags.flatMap(([name, value]) => [`--${name}`, value]));
    const tvOptions = { dev: folder, output: new EventEmitter() };
    return await runTv(settings, tvOptions, ({ services: { dev } }) => {
      dev?.on('line', (line) => print(`${line}\n`));
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
