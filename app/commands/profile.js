/** `pitv profile`: takes CPU profiles of a TV under load. */
import { access, constants, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { TEXT } from '../config/flags.js';
import { choice, parseValue, whole } from '../config/values.js';
import { PitvError, messageOf } from '../errors.js';
import { print, replaceFile } from './common/output.js';

export const summary = 'take CPU profiles of a TV under load, for flame graphs';

const ENGINES = ['auto', 'process', 'thread', 'zygote'];
const CLIENTS = Object.freeze({ pads: 8, screens: 4, matches: 1 });
/** The longest profile of each thread, s. A match of Bumper lasts for both of them. */
const MAX_SECONDS = 60;
/** The name of a profile, in its header. */
const FILE = /filename="?([^";]+)/;
/** Ctrl-C ends this command only. The TV notices, ends and removes its files. */
const APART = Object.freeze({ detached: true });

export const help = `Usage: pitv profile [options]

Starts another TV with a match of ${CLIENTS.pads} pads and ${CLIENTS.screens} screens. Takes CPU profiles of its main
thread, then of the match's worker. Chrome's DevTools, VS Code and speedscope show them as flame graphs.

  --game NAME        the game of the match; default bumper
  --engine NAME      ${ENGINES.join(' | ')}: the engine that runs the match; default auto
  --seconds N        duration of each profile, 1..${MAX_SECONDS}; default 10
  -o, --out FOLDER   where the profiles are written; default: the current folder

To profile a running TV, use its admin page. For names of C++ functions, run
\`node --prof\` and \`node --prof-process\`.
`;
export const options = { game: TEXT, engine: TEXT, seconds: TEXT, out: { ...TEXT, short: 'o' } };

/** @param {Record<string, string>} flags @returns {Promise<number>} */
export async function run({ game = 'bumper', engine = 'auto', seconds = '10', out = '.' }) {
  parseValue('--engine', choice(...ENGINES), engine);
  const profileSeconds = parseValue('--seconds', whole(1, MAX_SECONDS), seconds);
  const { loadCatalog } = await import('../packages/catalog.js'); // not needed by --help
  parseValue('--game', choice(...(await loadCatalog()).map(({ id }) => id)), game);
  await access(out, constants.W_OK).catch((cause) => {
    const sentence = `The CPU profile cannot be written to ${out}: ${messageOf(cause)}.`;
    throw new PitvError('PITV_PROFILE_OUT', sentence, { cause });
  });
  const { startClients, startTv } = await import('../../bench/harness/remote-tv.js');
  const request = { engine, matches: 1, profileSeconds };
  const tv = await startTv(request, { launch: APART });
  let clients;
  try {
    clients = await startClients(tv, { game, ...CLIENTS }, APART);
    const { targets } = await (await ask(tv, '/profiles')).json();
    for (const { id, name } of targets) {
      const answer = await ask(tv, '/profiles', { target: id, kind: 'cpu' });
      const [, file = ''] = FILE.exec(answer.headers.get('content-disposition') ?? '') ?? [];
      const path = resolve(join(out, file));
      const bytes = Buffer.from(await answer.arrayBuffer());
      await replaceFile(path, (part) => writeFile(part, bytes));
      print(`CPU profile of the ${name}: ${path}\n`);
    }
    const { loop } = await (await ask(tv, '/measurements')).json();
    print(`The event loop of the main thread was late by ${loop.p99.toFixed(1)} ms (p99).\n`);
    return 0;
  } finally {
    await clients?.stop();
    await tv.stop();
  }
}

/**
 * Asks the TV as its admin.
 * @param {import('../../bench/harness/remote-tv.js').RemoteTv} tv @param {string} path @param {object} [body] of a POST
 */
async function ask({ url, token }, path, body) {
  const response = await fetch(`${url}/api${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  if (response.ok) return response;
  const { error } = await response.json();
  throw new PitvError('PITV_PROFILE_FAILED', error.message);
}
