/** `pitv clip`: makes clips of a running TV's matches, lists, fetches and deletes them. */
import { createWriteStream } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ADMIN_TOKEN_FILE } from '../admin/token.js';
import { parseFlags } from '../config/flags.js';
import { defaultDataDir } from '../config/settings.js';
import { PitvError, messageOf } from '../errors.js';
import { print, printError } from './common/output.js';

export const summary = 'save the last seconds of a match as an MP4, or start a recording';

const HELP = `Usage: pitv clip [options]
Makes a clip of a running match and waits until it is ready. Ctrl-C cancels the clip.

  --match ID        the match; may be omitted if only one is running
  --last SECONDS    save the last 1..30 s; the default, with 30
  --record SECONDS  record the next 1..120 s
  --height N        720 (1280x720) or 1080 (1920x1080), 30 frames a second; default 720
  --out FILE        download the clip to this file

  --list            list the clips
  --fetch ID        download a clip; needs --out
  --delete ID       delete a clip, or cancel one that is not ready

  --url URL         address of the TV; default http://127.0.0.1:8080
  --data-dir DIR    data directory of the TV, to read its admin token; without it, set PITV_ADMIN_TOKEN
`;
const NAMES = /** @type {const} */ ([
  'match',
  'last',
  'record',
  'height',
  'out',
  'fetch',
  'delete',
  'url',
  'data-dir',
]);
const POLL_MS = 300;
const BAR_WIDTH = 24;

/** @param {string} sentence */
const usageError = (sentence) => new PitvError('PITV_USAGE', `${sentence} See pitv clip --help.`);

/** @param {string[]} argv */
export async function run(argv) {
  const flags = parseFlags(
    argv,
    {
      ...Object.fromEntries(
        NAMES.map((name) => [name, { type: /** @type {'string'} */ ('string') }]),
      ),
      list: { type: 'boolean' },
    },
    'pitv clip',
  );
  if (flags.help) {
    print(HELP);
    return 0;
  }
  const tv = await TvClient.fromFlags(flags);
  const out = flags.out === undefined ? undefined : resolve(String(flags.out));
  if (flags.list) return printClips(tv);
  if (flags.delete !== undefined) {
    await tv.request('DELETE', `/api/clips/${encodeURIComponent(String(flags.delete))}`);
    return 0;
  }
  if (flags.fetch !== undefined) {
    if (!out) throw usageError('--fetch needs --out FILE.');
    const clip = await tv.request('GET', `/api/clips/${encodeURIComponent(String(flags.fetch))}`);
    return tv.download(clip, out);
  }
  return makeClip(tv, flags, out);
}

/** Sends requests to a TV as its admin. */
class TvClient {
  /** @param {string} url @param {string} token */
  constructor(url, token) {
    this.url = url;
    this.token = token;
  }

  /**
   * Makes a client with the address and the token that the flags and the environment give.
   * @param {Record<string, unknown>} flags
   * @throws {PitvError} PITV_USAGE, PITV_ADMIN_ONLY
   */
  static async fromFlags(flags) {
    const url = String(flags.url ?? 'http://127.0.0.1:8080').replace(/\/$/, '');
    if (!URL.canParse(url))
      throw usageError(`--url must be http://name:port, not "${url.slice(0, 80)}".`);
    const token = process.env.PITV_ADMIN_TOKEN;
    if (token) return new TvClient(url, token.trim());
    const file = join(String(flags['data-dir'] ?? defaultDataDir()), ADMIN_TOKEN_FILE);
    try {
      return new TvClient(url, (await readFile(file, 'utf8')).trim());
    } catch (error) {
      throw new PitvError(
        'PITV_ADMIN_ONLY',
        `The TV's admin token cannot be read from ${file}. Give --data-dir, or set PITV_ADMIN_TOKEN.`,
        { cause: error },
      );
    }
  }

  /**
   * Sends a request to the API.
   * @param {string} method @param {string} path @param {object} [body] sent as JSON
   * @returns {Promise<any>} the body of the response; undefined if it has none
   * @throws {PitvError} PITV_TV_AWAY, or the error in the response
   */
  async request(method, path, body) {
    const response = await this.#fetch(path, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    return response.status === 204 ? undefined : response.json();
  }

  /** @param {string} path @param {RequestInit} [options] */
  async #fetch(path, options) {
    let response;
    try {
      response = await fetch(`${this.url}${path}`, options);
    } catch (error) {
      throw new PitvError(
        'PITV_TV_AWAY',
        `No TV answers at ${this.url}. Start it with pitv serve, or give its --url.`,
        { cause: error },
      );
    }
    if (response.ok) return response;
    const answer = /** @type {any} */ (await response.json().catch(() => undefined))?.error;
    throw new PitvError(
      answer?.code ?? 'PITV_TV_AWAY',
      answer?.message ?? `The server at ${this.url} is not a TV.`,
    );
  }

  /**
   * Downloads a clip and prints the path.
   * @param {{url: string | null, id: string}} clip @param {string} out path of the file
   * @returns {Promise<number>} the exit status
   * @throws {PitvError} PITV_CLIP_UNKNOWN, PITV_TV_AWAY, PITV_FILE_UNWRITABLE
   */
  async download(clip, out) {
    if (!clip.url) throw new PitvError('PITV_CLIP_UNKNOWN', `Clip ${clip.id} is not ready.`);
    const { body } = await this.#fetch(clip.url);
    const part = `${out}.part`;
    try {
      await pipeline(Readable.fromWeb(/** @type {any} */ (body)), createWriteStream(part));
      await rename(part, out);
    } catch (error) {
      await rm(part, { force: true });
      throw new PitvError(
        'PITV_FILE_UNWRITABLE',
        `${out} cannot be written: ${messageOf(error)}.`,
        {
          cause: error,
        },
      );
    }
    print(`${out}\n`);
    return 0;
  }
}

/** @param {TvClient} tv */
async function printClips(tv) {
  const { clips, bytes, limits, problem } = await tv.request('GET', '/api/clips');
  for (const clip of clips) {
    const at = new Date(clip.createdAt).toISOString().slice(0, 19).replace('T', ' ');
    const size = clip.state === 'ready' ? `${(clip.bytes / 1e6).toFixed(1)} MB` : clip.state;
    const cells = [clip.id, at, clip.game.padEnd(8), `${clip.seconds} s`.padStart(7)];
    print(
      `${[...cells, `${clip.width}x${clip.height}`, size, clip.error?.message ?? ''].join('  ').trimEnd()}\n`,
    );
  }
  const space = `${(bytes / 1e6).toFixed(1)} of ${Math.round(limits.bytes / 1e6)} MB`;
  print(`${clips.length} of ${limits.count} clips, ${space}\n`);
  if (problem) print(`${problem}\n`);
  return 0;
}

/** @param {unknown} text @param {string} name @returns {number | undefined} */
function parseNumber(text, name) {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(String(text))) throw usageError(`--${name} must be a whole number.`);
  return Number(text);
}

/** @param {TvClient} tv @param {Record<string, unknown>} flags @param {string | undefined} out */
async function makeClip(tv, flags, out) {
  const record = parseNumber(flags.record, 'record');
  const last = parseNumber(flags.last, 'last');
  if (record !== undefined && last !== undefined) {
    throw usageError('Give either --last or --record, not both.');
  }
  const clip = await tv.request('POST', '/api/clips', {
    match: parseNumber(flags.match, 'match') ?? (await findOnlyMatch(tv)),
    from: record === undefined ? 'last' : 'now',
    seconds: record ?? last,
    height: parseNumber(flags.height, 'height'),
  });
  let cancelled = false;
  const cancel = () => {
    cancelled = true;
  };
  process.once('SIGINT', cancel);
  process.once('SIGTERM', cancel);
  const made = await waitForClip(tv, clip, () => cancelled);
  if (!made) {
    await tv.request('DELETE', `/api/clips/${clip.id}`);
    throw new PitvError('PITV_CLIP_CANCELLED', 'The clip was cancelled.');
  }
  if (made.state === 'failed') throw new PitvError(made.error.code, made.error.message);
  print(
    `${made.id}  ${made.seconds} s  ${made.width}x${made.height}  ${(made.bytes / 1e6).toFixed(1)} MB  ${tv.url}${made.url}\n`,
  );
  return out ? tv.download(made, out) : 0;
}

/** @param {TvClient} tv @returns {Promise<number>} id of the only match @throws {PitvError} PITV_MATCH_UNKNOWN */
async function findOnlyMatch(tv) {
  const { matches } = await tv.request('GET', '/api/matches');
  if (matches.length === 1) return matches[0].id;
  const which = matches.map((/** @type {any} */ { id, game }) => `${id} (${game})`).join(', ');
  throw new PitvError(
    'PITV_MATCH_UNKNOWN',
    matches.length === 0
      ? 'No match is running on this TV.'
      : `Several matches are running. Choose one with --match: ${which}.`,
  );
}

/**
 * Polls until a clip is ready or has failed, and shows its progress on stderr.
 * @param {TvClient} tv @param {{id: string}} clip @param {() => boolean} cancelled
 * @returns {Promise<any>} the clip; undefined if it was cancelled
 */
async function waitForClip(tv, { id }, cancelled) {
  const live = process.stderr.isTTY;
  let shown = '';
  try {
    for (;;) {
      if (cancelled()) return undefined;
      const clip = await tv.request('GET', `/api/clips/${id}`);
      if (clip.state === 'ready' || clip.state === 'failed') return clip;
      const full = Math.round(clip.done * BAR_WIDTH);
      const text =
        clip.state === 'making'
          ? `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} ${Math.floor(clip.done * 100)} %`
          : clip.state === 'recording'
            ? `recording ${clip.seconds} s`
            : 'waiting for another clip';
      if (live && text !== shown) process.stderr.write(`\r\x1b[K${text}`);
      else if (clip.state !== shown && !live) printError(`${clip.state}\n`);
      shown = live ? text : clip.state;
      await delay(POLL_MS);
    }
  } finally {
    if (live) process.stderr.write('\r\x1b[K');
  }
}
