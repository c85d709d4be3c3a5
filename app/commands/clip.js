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

export const summary = 'save the last seconds of a match as MP4, or record from now';

const HELP = `Usage: pitv clip [options]
  makes a clip of a match that runs on a TV, and waits until it is ready; Ctrl-C cancels it

  --match ID        which match; not needed where only one runs
  --last SECONDS    the last 1..30 s; this is what is done if nothing else is said, with 30
  --record SECONDS  from now on, 1..120 s
  --height N        720 (1280x720) or 1080 (1920x1080), 30 pictures a second; default 720
  --out FILE        fetch it into this file when it is ready

  --list            the clips that are there
  --fetch ID        with --out: fetch one of them
  --delete ID       delete it, or cancel what is on its way

  --url URL         of the TV; default http://127.0.0.1:8080
  --data-dir DIR    of the TV, where its admin token is; or the token itself in PITV_ADMIN_TOKEN
`;
const NAMES = /** @type {const} */ ([
  ...['match', 'last', 'record', 'height', 'out', 'fetch', 'delete', 'url', 'data-dir'],
]);
const LOOK_MS = 300;
const BAR = 24;

/** @param {string} sentence */
const usage = (sentence) => new PitvError('PITV_USAGE', `${sentence} See pitv clip --help.`);

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
    process.stdout.write(HELP);
    return 0;
  }
  const tv = await Tv.of(flags);
  const out = flags.out === undefined ? undefined : resolve(String(flags.out));
  if (flags.list) return list(tv);
  if (flags.delete !== undefined) {
    await tv.ask('DELETE', `/api/clips/${encodeURIComponent(String(flags.delete))}`);
    return 0;
  }
  if (flags.fetch !== undefined) {
    if (!out) throw usage('--fetch needs --out FILE.');
    const clip = await tv.ask('GET', `/api/clips/${encodeURIComponent(String(flags.fetch))}`);
    return tv.fetchFile(clip, out);
  }
  return make(tv, flags, out);
}

/** What the TV is asked. */
class Tv {
  /** @param {string} url @param {string} token */
  constructor(url, token) {
    this.url = url;
    this.token = token;
  }

  /** @param {Record<string, unknown>} flags */
  static async of(flags) {
    const url = String(flags.url ?? 'http://127.0.0.1:8080').replace(/\/$/, '');
    if (!URL.canParse(url))
      throw usage(`--url may be http://name:port, not "${url.slice(0, 80)}".`);
    const token = process.env.PITV_ADMIN_TOKEN;
    if (token) return new Tv(url, token.trim());
    const file = join(String(flags['data-dir'] ?? defaultDataDir()), ADMIN_TOKEN_FILE);
    try {
      return new Tv(url, (await readFile(file, 'utf8')).trim());
    } catch (error) {
      throw new PitvError(
        'PITV_ADMIN_ONLY',
        `The TV's admin token is not to be read in ${file}. Give --data-dir, or the token in PITV_ADMIN_TOKEN.`,
        { cause: error },
      );
    }
  }

  /** @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
  async ask(method, path, body) {
    const response = await this.#get(path, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    return response.status === 204 ? undefined : response.json();
  }

  /** @param {string} path @param {RequestInit} [options] */
  async #get(path, options) {
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
    throw new PitvError(answer?.code ?? 'PITV_TV_AWAY', answer?.message ?? `${this.url} is no TV.`);
  }

  /** @param {{url: string | null, id: string}} clip @param {string} out @returns {Promise<number>} */
  async fetchFile(clip, out) {
    if (!clip.url) throw new PitvError('PITV_CLIP_UNKNOWN', `Clip ${clip.id} is not ready.`);
    const { body } = await this.#get(clip.url);
    const part = `${out}.part`;
    try {
      await pipeline(Readable.fromWeb(/** @type {any} */ (body)), createWriteStream(part));
      await rename(part, out);
    } catch (error) {
      await rm(part, { force: true });
      throw new PitvError('PITV_FILE_UNWRITABLE', `${out} can't be written: ${messageOf(error)}.`, {
        cause: error,
      });
    }
    process.stdout.write(`${out}\n`);
    return 0;
  }
}

/** @param {Tv} tv */
async function list(tv) {
  const { clips, bytes, limits, problem } = await tv.ask('GET', '/api/clips');
  for (const clip of clips) {
    const at = new Date(clip.createdAt).toISOString().slice(0, 19).replace('T', ' ');
    const size = clip.state === 'ready' ? `${(clip.bytes / 1e6).toFixed(1)} MB` : clip.state;
    const cells = [clip.id, at, clip.game.padEnd(8), `${clip.seconds} s`.padStart(7)];
    process.stdout.write(
      `${[...cells, `${clip.width}x${clip.height}`, size, clip.error?.message ?? ''].join('  ').trimEnd()}\n`,
    );
  }
  const room = `${(bytes / 1e6).toFixed(1)} of ${Math.round(limits.bytes / 1e6)} MB`;
  process.stdout.write(`${clips.length} of ${limits.count} clips, ${room}\n`);
  if (problem) process.stdout.write(`${problem}\n`);
  return 0;
}

/** @param {unknown} text @param {string} name @returns {number | undefined} */
function number(text, name) {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(String(text))) throw usage(`--${name} must be a whole number.`);
  return Number(text);
}

/** @param {Tv} tv @param {Record<string, unknown>} flags @param {string | undefined} out */
async function make(tv, flags, out) {
  const record = number(flags.record, 'record');
  const last = number(flags.last, 'last');
  if (record !== undefined && last !== undefined) throw usage('Either --last or --record.');
  const clip = await tv.ask('POST', '/api/clips', {
    match: number(flags.match, 'match') ?? (await onlyMatch(tv)),
    from: record === undefined ? 'last' : 'now',
    seconds: record ?? last,
    height: number(flags.height, 'height'),
  });
  let cancelled = false;
  const cancel = () => {
    cancelled = true;
  };
  process.once('SIGINT', cancel);
  process.once('SIGTERM', cancel);
  const made = await wait(tv, clip, () => cancelled);
  if (!made) {
    await tv.ask('DELETE', `/api/clips/${clip.id}`);
    throw new PitvError('PITV_CLIP_CANCELLED', 'The clip was cancelled.');
  }
  if (made.state === 'failed') throw new PitvError(made.error.code, made.error.message);
  process.stdout.write(
    `${made.id}  ${made.seconds} s  ${made.width}x${made.height}  ${(made.bytes / 1e6).toFixed(1)} MB  ${tv.url}${made.url}\n`,
  );
  return out ? tv.fetchFile(made, out) : 0;
}

/** @param {Tv} tv @returns {Promise<number>} */
async function onlyMatch(tv) {
  const { matches } = await tv.ask('GET', '/api/matches');
  if (matches.length === 1) return matches[0].id;
  const which = matches.map((/** @type {any} */ { id, game }) => `${id} (${game})`).join(', ');
  throw new PitvError(
    'PITV_MATCH_UNKNOWN',
    matches.length === 0 ? 'No match runs on this TV.' : `Say which with --match: ${which}.`,
  );
}

/**
 * @param {Tv} tv @param {{id: string}} clip @param {() => boolean} cancelled
 * @returns {Promise<any>} the clip when it is ready or has failed; undefined: cancelled
 */
async function wait(tv, { id }, cancelled) {
  const live = process.stderr.isTTY;
  let shown = '';
  try {
    for (;;) {
      if (cancelled()) return undefined;
      const clip = await tv.ask('GET', `/api/clips/${id}`);
      if (clip.state === 'ready' || clip.state === 'failed') return clip;
      const full = Math.round(clip.done * BAR);
      const text =
        clip.state === 'making'
          ? `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${Math.floor(clip.done * 100)} %`
          : clip.state === 'recording'
            ? `recording ${clip.seconds} s`
            : 'waiting for another clip';
      if (live && text !== shown) process.stderr.write(`\r\x1b[K${text}`);
      else if (clip.state !== shown && !live) process.stderr.write(`${clip.state}\n`);
      shown = live ? text : clip.state;
      await delay(LOOK_MS);
    }
  } finally {
    if (live) process.stderr.write('\r\x1b[K');
  }
}
