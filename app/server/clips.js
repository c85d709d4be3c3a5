/**
 * Clips over HTTP and over the websockets of screens. A screen gets the list of clips, makes clips of the match that it
 * shows, and deletes its own. The admin may delete any clip. Downloads need no token, because media players send none:
 * the id of a clip cannot be guessed.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PitvError } from '../errors.js';
import { ClientCounts } from '../limits/client-counts.js';
import { clientKey } from '../limits/client-key.js';
import { LIMITS } from '../limits/table.js';
import { ADMIN } from './admin.js';
import { express } from './express.js';

/** Changes within this time are sent as one message. */
const COALESCE_MS = 250;
/** What request.range() returns for a range that the file does not have. */
const RANGE_OUTSIDE = -1;

/** @typedef {import('../tv.js').Services['clips']} Clips */
/** @typedef {import('../clips/clips.js').Clip} Clip */
/** @typedef {import('./connection.js').Connection} Connection */
/** @typedef {import('./screens.js').Screen} Screen */

/** Returns the public fields of a clip. @param {Clip} clip */
function publicFields({ owner: _owner, client: _client, ...clip }) {
  return { ...clip, url: clip.state === 'ready' ? `/clips/${clip.id}.mp4` : null };
}

/**
 * Checks an optional whole number.
 * @param {unknown} value @returns {number | undefined} @throws {PitvError} PITV_CLIP_OPTION
 */
function optionalInteger(value) {
  if (value === undefined || value === null) return undefined;
  if (!Number.isInteger(value)) {
    throw new PitvError('PITV_CLIP_OPTION', 'seconds and height must be whole numbers.');
  }
  return Number(value);
}

/**
 * Makes the router of /api/clips, for scripts and `pitv clip`.
 * @param {object} parts
 * @param {Clips} parts.clips
 * @param {import('../lobby/lobby.js').Lobby} parts.lobby
 * @param {import('./admin.js').AdminCheck} parts.admin
 * @returns {import('express').Router}
 */
export function clipRouter({ clips, lobby, admin }) {
  const router = express.Router();
  router.use(admin.authorize);
  router.get('/', (_request, response) => {
    const { limits, bytes, problem = null } = clips;
    const { count, bytes: maxBytes } = limits;
    response.json({
      clips: clips.list.map(publicFields),
      bytes,
      limits: { count, bytes: maxBytes },
      problem,
    });
  });
  router.post('/', express.json({ limit: LIMITS.bodyBytes.value }), async (request, response) => {
    const { match, from, seconds, height } = request.body ?? {};
    const clip = await clips.start(lobby.match(match), {
      from,
      seconds: optionalInteger(seconds),
      height: optionalInteger(height),
      owner: ADMIN,
    });
    response.status(201).location(`/api/clips/${clip.id}`).json(publicFields(clip));
  });
  router.get('/:id', (request, response) => {
    response.json(publicFields(clips.get(request.params.id)));
  });
  router.post('/:id/finish', async (request, response) => {
    await clips.finish(request.params.id);
    response.json(publicFields(clips.get(request.params.id)));
  });
  router.delete('/:id', async (request, response) => {
    await clips.remove(request.params.id);
    response.status(204).end();
  });
  return router;
}

/**
 * Serves /clips/ID.mp4, with ?download as an attachment. Limits the downloads, because each holds an open file.
 * @param {Clips} clips
 * @param {import('./client-address.js').ClientAddresses} addresses
 * @returns {import('express').RequestHandler}
 */
export function clipFile(clips, addresses) {
  const downloads = new ClientCounts({
    max: LIMITS.clipDownloads.value,
    maxPerClient: LIMITS.clipDownloadsPerAddress.value,
  });
  return async (request, response, next) => {
    const id = String(request.params.id);
    const file = clips.fileOf(id);
    const client = clientKey(addresses.of(request));
    if (!downloads.take(client)) {
      throw new PitvError(
        'PITV_CLIP_DOWNLOADS',
        'Too many clips are being downloaded. Wait a moment, then try again.',
        { details: { retryAfterS: 5 } },
      );
    }
    response.once('close', () => downloads.release(client));
    if (request.query.download !== undefined) {
      response.attachment(downloadName(clips.get(id)));
    }
    if (file === undefined) return sendFromNode(request, response, /** @type {any} */ (clips));
    // The data directory may be in a folder whose name begins with a dot, such as ~/.local.
    response.sendFile(file, { dotfiles: 'allow', cacheControl: false, maxAge: 0 }, (error) => {
      if (error && !response.headersSent) next(error);
    });
  };
}

/**
 * Sends the file of a clip that another node of the fleet has, or one range of it.
 * @param {import('express').Request} request @param {import('express').Response} response
 * @param {import('../fleet/fleet-clips.js').FleetClips} clips
 */
async function sendFromNode(request, response, clips) {
  const { id, bytes } = clips.get(request.params.id);
  const ranges = request.range(bytes, { combine: true }) ?? [];
  response.type('mp4').set('Accept-Ranges', 'bytes');
  if (ranges === RANGE_OUTSIDE) {
    response.status(416).set('Content-Range', `bytes */${bytes}`).end();
    return;
  }
  const [range] = Array.isArray(ranges) && ranges.length === 1 ? ranges : [];
  const { start, end } = range ?? { start: 0, end: bytes - 1 };
  if (range) response.status(206).set('Content-Range', `bytes ${start}-${end}/${bytes}`);
  response.set('Content-Length', String(end + 1 - start));
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  // The connection ends if the client or the other node goes away.
  await pipeline(Readable.from(clips.read(id, start, end + 1)), response).catch(() => {});
}

/** Returns the file name for a download. @param {Clip} clip @returns {string} */
export function downloadName({ game, createdAt }) {
  const at = new Date(createdAt).toISOString().slice(0, 19).replaceAll(':', '-');
  return `pitv-${game}-${at}.mp4`;
}

/** Handles the screens' messages about clips, and sends them the list. */
export class ScreenClips {
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #sendToAll;

  /**
   * @param {object} parts
   * @param {Clips} parts.clips
   * @param {import('../lobby/lobby.js').Lobby} parts.lobby
   * @param {() => Iterable<[Connection, Screen]>} parts.screens
   */
  constructor({ clips, lobby, screens }) {
    this.clips = clips;
    this.lobby = lobby;
    this.#sendToAll = () => {
      this.#timer = undefined;
      for (const [connection, screen] of screens()) this.sendList(connection, screen);
    };
    clips.on('change', () => (this.#timer ??= setTimeout(this.#sendToAll, COALESCE_MS).unref()));
  }

  /** Sends the list of clips to a screen. @param {Connection} connection @param {Screen} screen */
  sendList(connection, screen) {
    const list = this.clips.list.map((clip) => ({
      ...publicFields(clip),
      yours: clip.owner === screen.owner,
    }));
    connection.send({ t: 'clips', clips: list, problem: this.clips.problem ?? null });
  }

  /**
   * Handles a message of a screen.
   * @param {Connection} connection
   * @param {Screen} screen
   * @param {{t: string} & Record<string, unknown>} message
   * @returns {Promise<unknown> | undefined} undefined if the message is not about clips
   */
  handle(connection, screen, message) {
    switch (message.t) {
      case 'clip':
        return this.#start(connection, screen, message);
      case 'clipFinish':
        return this.#changeOwn(screen, message.clip, ({ id }) => this.clips.finish(id));
      case 'clipDelete':
        return this.#changeOwn(screen, message.clip, ({ id }) => this.clips.remove(id));
      default:
        return undefined;
    }
  }

  /** @param {Connection} connection @param {Screen} screen @param {Record<string, unknown>} message */
  async #start(connection, screen, { match: id, from, seconds, height }) {
    const match = this.lobby.match(id);
    if (screen.watching !== match) {
      throw new PitvError(
        'PITV_NOT_YOURS',
        'A screen can make clips only of the match that it shows.',
      );
    }
    await this.clips.start(match, {
      from: from === 'now' ? 'now' : 'last',
      seconds: optionalInteger(seconds),
      height: optionalInteger(height),
      owner: screen.owner,
      client: clientKey(connection.address),
    });
  }

  /** @param {Screen} screen @param {unknown} id @param {(clip: Clip) => unknown} change */
  async #changeOwn(screen, id, change) {
    const clip = this.clips.get(id);
    if (clip.owner !== screen.owner) {
      throw new PitvError(
        'PITV_NOT_YOURS',
        'Another screen made this clip. Only that screen and the admin may change it.',
      );
    }
    await change(clip);
  }

  close() {
    clearTimeout(this.#timer);
  }
}
