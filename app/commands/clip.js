/** `pitv clip`: saves the last seconds of a running TV's match as a replay file. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ADMIN_TOKEN_FILE } from '../admin/token.js';
import { SWITCH, TEXT, usageError } from '../config/flags.js';
import { defaultDataDir } from '../config/settings.js';
import { PitvError, messageOf } from '../errors.js';
import { readReplay, replayName } from '../game/replay-file.js';
import { print } from './common/output.js';

export const summary = 'save the last seconds of a match as a replay';

export const help = `Usage: pitv clip [options]
Saves the last seconds of a running match as a file. The page /replay of a TV plays it, and records it as a video.

  --match ID        the match; may be omitted if only one is running
  --out FILE        default: pitv-GAME-TIME.replay in the working directory
  --json            print {match, game, seconds, frames, bytes, file} instead of the path

  --url URL         address of the TV; default http://127.0.0.1:8080
  --data-dir DIR    data directory of the TV, to read its admin token, which only --screen-access code needs;
                    PITV_ADMIN_TOKEN has the token itself
`;
const TICK_HZ = 60;
export const options = { match: TEXT, out: TEXT, url: TEXT, 'data-dir': TEXT, json: SWITCH };

/** @param {Record<string, any>} flags */
export async function run(flags) {
  const { url: given = 'http://127.0.0.1:8080' } = flags;
  const url = given.replace(/\/$/, '');
  if (!URL.canParse(url)) {
    throw usageError(`--url must be http://name:port, not "${url.slice(0, 80)}".`, 'pitv clip');
  }
  if (flags.match !== undefined && !/^\d{1,9}$/.test(flags.match)) {
    throw usageError('--match must be a whole number.', 'pitv clip');
  }
  const token = await readToken(flags['data-dir']);
  const match = flags.match ?? (await findOnlyMatch(url));
  const response = await get(`${url}/api/matches/${match}/replay`, token);
  const bytes = await response.arrayBuffer();
  const { game, frames } = readReplay(bytes);
  const file = resolve(flags.out ?? `${replayName(game.id, new Date())}.replay`);
  await write(file, Buffer.from(bytes));
  const ticks = frames[frames.length - 1].tick - frames[0].tick;
  const about = {
    match: Number(match),
    game: game.id,
    seconds: Math.round((10 * ticks) / TICK_HZ) / 10,
    frames: frames.length,
    bytes: bytes.byteLength,
    file,
  };
  print(flags.json ? `${JSON.stringify(about)}\n` : `${file}\n`);
}

/** Reads the admin's token. @param {string} [dataDir] @returns {Promise<string>} empty if there is none */
async function readToken(dataDir = defaultDataDir()) {
  const file = join(dataDir, ADMIN_TOKEN_FILE);
  const token = process.env.PITV_ADMIN_TOKEN || (await readFile(file, 'utf8').catch(() => ''));
  return token.trim();
}

/** Asks the TV. @param {string} url @param {string} [token] @throws {PitvError} PITV_TV_AWAY, or what it answers */
async function get(url, token = '') {
  const { origin } = new URL(url);
  /** @type {Record<string, string>} */
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const response = await fetch(url, { headers }).catch((error) => {
    const sentence = `No TV answers at ${origin}. Start it with pitv serve, or give its --url.`;
    throw new PitvError('PITV_TV_AWAY', sentence, { cause: error });
  });
  if (response.ok) return response;
  const { code = 'PITV_TV_AWAY', message = `The server at ${origin} is not a TV.` } =
    /** @type {any} */ (await response.json().catch(() => undefined))?.error ?? {};
  throw new PitvError(code, message);
}

/** Returns the id of the only match. @param {string} url of the TV @throws {PitvError} PITV_MATCH_UNKNOWN */
async function findOnlyMatch(url) {
  const { matches } = /** @type {any} */ (await (await get(`${url}/api/matches`)).json());
  if (matches.length === 1) return matches[0].id;
  const which = matches.map((/** @type {any} */ { id, game }) => `${id} (${game})`).join(', ');
  const sentence = which
    ? `Several matches are running. Choose one with --match: ${which}.`
    : 'No match is running on this TV.';
  throw new PitvError('PITV_MATCH_UNKNOWN', sentence);
}

/** Writes a file as a whole or not at all. @param {string} file @param {Buffer} bytes @throws {PitvError} */
async function write(file, bytes) {
  const part = `${file}.part`;
  try {
    await writeFile(part, bytes);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    const sentence = `${file} cannot be written: ${messageOf(error)}.`;
    throw new PitvError('PITV_FILE_UNWRITABLE', sentence, { cause: error });
  }
}
