/** Serves pictures and sounds of installed games as data: with a fixed type, and a policy that runs nothing. */
import { PitvError } from '../errors.js';
import { ART, readPicture } from '../packages/pictures.js';
import { SOUNDS, readSound } from '../packages/sounds.js';

const POLICY = "sandbox; default-src 'none'";
/** The path of a file has the version of its game, so that it never changes. */
const CACHE = 'private, max-age=86400, immutable';

/** @typedef {import('../lobby/catalog.js').Game} Game */

/**
 * What is served, by folder.
 * @type {Record<string, {read: (folder: string, name: string) => Promise<{bytes: Buffer, type: string}>,
 *   names: (game: Game) => (string | undefined)[]}>} names: the paths that the game names
 */
const MEDIA = {
  [ART]: { read: readPicture, names: ({ view }) => view.kinds.map(({ picture }) => picture) },
  [SOUNDS]: { read: readSound, names: ({ view }) => view.events.map(({ sound }) => sound) },
};

/**
 * Serves /art/ID/VERSION/NAME or /sounds/ID/VERSION/NAME. Only files that the game names are served.
 * @param {'art' | 'sounds'} kind
 * @param {import('../lobby/lobby.js').Lobby} lobby
 * @param {import('../packages/packages.js').Packages} packages
 * @returns {import('express').RequestHandler<{id: string, version: string, name: string}>}
 */
export function mediaFile(kind, lobby, packages) {
  const { read, names } = MEDIA[kind];
  return async ({ params: { id, version, name } }, response) => {
    const games = [...lobby.games, ...lobby.matches.map(({ game }) => game)];
    const game = games.find((each) => each.id === id && each.hash === version);
    if (!game?.package || !names(game).includes(`${kind}/${name}`)) {
      throw new PitvError('PITV_NOT_FOUND', 'There is no such file.');
    }
    const { bytes, type } = await read(packages.folderOf(game.package), name);
    response.set({ 'Content-Security-Policy': POLICY, 'Cache-Control': CACHE }).type(type);
    response.send(bytes);
  };
}
