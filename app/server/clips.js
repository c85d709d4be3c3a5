/**
 * Clips over HTTP and over the screens' websockets. Screens see the list, make clips of what they
 * watch and delete their own; the admin may do anything. A clip's id can't be guessed, so that whoever
 * has its address may fetch the file: a download or a television's player sends no token.
 */
import express from 'express';
import { PitvError } from '../errors.js';
import { ClientCounts } from '../limits/client-counts.js';
import { clientKey } from '../limits/client-key.js';
import { LIMITS } from '../limits/table.js';
import { ADMIN } from './admin.js';

/** Progress goes out as one message for what happens within this time. */
const COALESCE_MS = 250;

/** @typedef {import('../clips/clips.js').Clips} Clips */
/** @typedef {import('../clips/clips.js').Clip} Clip */
/** @typedef {import('./connection.js').Connection} Connection */
/** @typedef {import('./screens.js').Screen} Screen */

/** @param {Clip} clip @returns what anybody may know of it */
function shown({ owner: _owner, client: _client, ...clip }) {
  return { ...clip, url: clip.state === 'ready' ? `/clips/${clip.id}.mp4` : null };
}

/** @param {unknown} value @returns {number | undefined} */
function whole(value) {
  if (value === undefined || value === null) return undefined;
  if (!Number.isInteger(value)) {
    throw new PitvError('PITV_CLIP_OPTION', 'seconds and height have to be whole numbers.');
  }
  return Number(value);
}

/**
 * /api/clips, for scripts and for `pitv clip`.
 * @param {object} parts
 * @param {Clips} parts.clips
 * @param {import('../lobby/lobby.js').Lobby} parts.lobby
 * @param {import('./admin.js').AdminCheck} parts.admin
 * @returns {import('express').Router}
 */
export function clipRouter({ clips, lobby, admin }) {
  const router = express.Router();
  router.use(admin.only);
  router.get('/', (_request, response) => {
    const { limits, bytes, problem = null } = clips;
    const { count, bytes: most } = limits;
    response.json({ clips: clips.list.map(shown), bytes, limits: { count, bytes: most }, problem });
  });
  router.post('/', express.json({ limit: LIMITS.bodyBytes.value }), async (request, response) => {
    const { match, from, seconds, height } = request.body ?? {};
    const clip = await clips.start(lobby.match(match), {
      from,
      seconds: whole(seconds),
      height: whole(height),
      owner: ADMIN,
    });
    response.status(201).location(`/api/clips/${clip.id}`).json(shown(clip));
  });
  router.get('/:id', (request, response) => {
    response.json(shown(clips.get(request.params.id)));
  });
  router.post('/:id/finish', (request, response) => {
    clips.finish(request.params.id);
    response.json(shown(clips.get(request.params.id)));
  });
  router.delete('/:id', async (request, response) => {
    await clips.remove(request.params.id);
    response.status(204).end();
  });
  return router;
}

/**
 * Serves /clips/ID.mp4, to be played or, with ?download, to be kept. Each response holds an open file.
 * @param {Clips} clips
 * @param {import('./client-address.js').ClientAddresses} addresses
 * @returns {import('express').RequestHandler}
 */
export function clipFile(clips, addresses) {
  const downloads = new ClientCounts({
    max: LIMITS.clipDownloads.value,
    maxPerClient: LIMITS.clipDownloadsPerAddress.value,
  });
  return (request, response, next) => {
    const id = String(request.params.id);
    const file = clips.fileOf(id);
    const client = clientKey(addresses.of(request));
    if (!downloads.take(client)) {
      throw new PitvError(
        'PITV_CLIP_DOWNLOADS',
        'Too many clips are being downloaded. Wait for them, then try again.',
        { details: { retryAfterS: 5 } },
      );
    }
    response.once('close', () => downloads.release(client));
    if (request.query.download !== undefined) {
      response.attachment(nameOf(clips.get(id)));
    }
    // Under a directory of dots, as ~/.local is, too.
    response.sendFile(file, { dotfiles: 'allow', cacheControl: false, maxAge: 0 }, (error) => {
      if (error && !response.headersSent) next(error);
    });
  };
}

/** @param {Clip} clip @returns {string} */
export function nameOf({ game, createdAt }) {
  const at = new Date(createdAt).toISOString().slice(0, 19).replaceAll(':', '-');
  return `pitv-${game}-${at}.mp4`;
}

/** What screens ask for, and what they are told. */
export class ScreenClips {
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #tellAll;

  /**
   * @param {object} parts
   * @param {Clips} parts.clips
   * @param {import('../lobby/lobby.js').Lobby} parts.lobby
   * @param {() => Iterable<[Connection, Screen]>} parts.screens
   */
  constructor({ clips, lobby, screens }) {
    this.clips = clips;
    this.lobby = lobby;
    this.#tellAll = () => {
      this.#timer = undefined;
      for (const [connection, screen] of screens()) this.tell(connection, screen);
    };
    clips.on('change', () => (this.#timer ??= setTimeout(this.#tellAll, COALESCE_MS).unref()));
  }

  /** @param {Connection} connection @param {Screen} screen */
  tell(connection, screen) {
    const list = this.clips.list.map((clip) => ({
      ...shown(clip),
      yours: clip.owner === screen.owner,
    }));
    connection.send({ t: 'clips', clips: list, problem: this.clips.problem ?? null });
  }

  /**
   * @param {Connection} connection
   * @param {Screen} screen
   * @param {{t: string} & Record<string, unknown>} message
   * @returns {Promise<unknown> | undefined} undefined: it is not about clips
   */
  text(connection, screen, message) {
    switch (message.t) {
      case 'clip':
        return this.#start(connection, screen, message);
      case 'clipFinish':
        return this.#own(screen, message.clip, ({ id }) => this.clips.finish(id));
      case 'clipDelete':
        return this.#own(screen, message.clip, ({ id }) => this.clips.remove(id));
      default:
        return undefined;
    }
  }

  /** @param {Connection} connection @param {Screen} screen @param {Record<string, unknown>} message */
  async #start(connection, screen, { match: id, from, seconds, height }) {
    const match = this.lobby.match(id);
    if (screen.watching !== match) {
      throw new PitvError('PITV_NOT_YOURS', 'A screen makes clips of the match that it shows.');
    }
    await this.clips.start(match, {
      from: from === 'now' ? 'now' : 'last',
      seconds: whole(seconds),
      height: whole(height),
      owner: screen.owner,
      client: clientKey(connection.address),
    });
  }

  /** @param {Screen} screen @param {unknown} id @param {(clip: Clip) => unknown} act */
  async #own(screen, id, act) {
    const clip = this.clips.get(id);
    if (clip.owner !== screen.owner) {
      throw new PitvError(
        'PITV_NOT_YOURS',
        'Another screen made this clip: that one or the admin may do it.',
      );
    }
    await act(clip);
  }

  close() {
    clearTimeout(this.#timer);
  }
}
