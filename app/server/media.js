/** Serves pictures and sounds of installed games as data: with a fixed type, and a policy that runs nothing. */
import { join } from 'node:path';
import { PitvError } from '../errors.js';
import { FOLDERS, checkMedia, readContent } from '../packages/content.js';

const POLICY = "sandbox; default-src 'none'";
/** The path of a file has the version of its game, so that it never changes. */
const CACHE = 'private, max-age=86400, immutable';

/** @typedef {import('../packages/catalog.js').Game} Game */

/** The paths that a game names, by folder. */
const NAMES = {
  art: (/** @type {Game} */ { view }) => view.kinds.map(({ picture }) => picture),
  sounds: (/** @type {Game} */ { view }) => view.events.map(({ sound }) => sound),
};

/**
 * Serves /art/ID/VERSION/NAME or /sounds/ID/VERSION/NAME. Only files that the game names are served. Those of a game
 * that only another TV has come from there.
 * @param {'art' | 'sounds'} kind
 * @param {Pick<import('../tv.js').Services, 'lobby' | 'installed' | 'home'>} services
 * @returns {import('express').RequestHandler<{id: string, version: string, name: string}>}
 */
export function mediaFile(kind, services) {
  const { lobby, home } = services;
  const { packages } = services.installed;
  const { maxBytes } = FOLDERS[kind];
  /** @param {string} id @param {string} version @param {string} name @returns {Game} */
  const find = (id, version, name) => {
    const games = [...lobby.games, ...lobby.matches.map(({ game }) => game)];
    const game = games.find((each) => each.id === id && each.hash === version);
    const isServed = game?.package || game?.elsewhere;
    if (isServed && NAMES[kind](game).includes(`${kind}/${name}`)) return game;
    throw new PitvError('PITV_NOT_FOUND', 'There is no such file.');
  };
  home.serveFiles(kind, ({ id, hash, name }) => {
    const { package: installed } = find(id, hash, name);
    if (!installed) throw new PitvError('PITV_NOT_FOUND', 'There is no such file.');
    return join(packages.folderOf(installed), kind, name);
  });
  return async ({ params: { id, version, name } }, response) => {
    const game = find(id, version, name);
    const { bytes, type } = game.package
      ? await readContent(packages.folderOf(game.package), kind, name)
      : checkMedia(kind, name, await home.readFile(game, kind, name, maxBytes));
    response.set({ 'Content-Security-Policy': POLICY, 'Cache-Control': CACHE }).type(type);
    response.send(bytes);
  };
}
