/** `pitv clip`: saves the last seconds of a running TV's match as a replay file. */
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ADMIN_TOKEN_FILE } from '../admin/token.js';
import { SWITCH, TEXT } from '../config/flags.js';
import { defaultDataDir } from '../config/settings.js';
import { parseValue, webAddress, whole } from '../config/values.js';
import { PitvError } from '../errors.js';
import { readReplay, replayName } from '../game/replay-file.js';
import { print, replaceFile } from './common/output.js';

export const summary = 'save the last seconds of a match as a replay';

const DEFAULT_URL = 'http://127.0.0.1:8080/';

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
  const url = parseValue('--url', webAddress, flags.url ?? '') || DEFAULT_URL;
  if (flags.match !== undefined) parseValue('--match', whole(0, 999_999_999), flags.match);
  const token = await readToken(flags['data-dir']);
  const match = flags.match ?? (await findOnlyMatch(url));
  const response = await get(`${url}api/matches/${match}/replay`, token);
  const bytes = await response.arrayBuffer();
  const { game, frames } = readClip(bytes, url);
  const file = resolve(flags.out ?? `${replayName(game.id, new Date())}.replay`);
  await replaceFile(file, (path) => writeFile(path, Buffer.from(bytes)));
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
  const answer = /** @type {any} */ (await response.json().catch(() => undefined));
  const { code, message } = Object(answer?.error);
  throw typeof message === 'string' ? new PitvError(String(code), message) : notATv(url);
}

/** @param {string} url */
const notATv = (url) =>
  new PitvError('PITV_TV_AWAY', `The server at ${new URL(url).origin} is not a TV.`);

/** @param {ArrayBuffer} bytes @param {string} url of the TV */
function readClip(bytes, url) {
  try {
    return readReplay(bytes);
  } catch {
    throw notATv(url);
  }
}

/** Returns the id of the only match. @param {string} url of the TV @throws {PitvError} PITV_MATCH_UNKNOWN */
async function findOnlyMatch(url) {
  const response = await get(`${url}api/matches`);
  const answer = /** @type {any} */ (await response.json().catch(() => undefined));
  const matches = answer?.matches;
  if (!Array.isArray(matches)) throw notATv(url);
  if (matches.length === 1) return matches[0].id;
  const which = matches.map((/** @type {any} */ { id, game }) => `${id} (${game})`).join(', ');
  const sentence = which
    ? `Several matches are running. Choose one with --match: ${which}.`
    : 'No match is running on this TV.';
  throw new PitvError('PITV_MATCH_UNKNOWN', sentence);
}
