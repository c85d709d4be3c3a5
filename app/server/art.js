/** Serves the pictures of installed games as data: with a fixed type, and a policy that runs nothing. */
import { PitvError } from '../errors.js';
import { ART, readPicture } from '../packages/pictures.js';

const POLICY = "sandbox; default-src 'none'";
/** The path of a picture has the version of its game, so that it never changes. */
const CACHE = 'private, max-age=86400, immutable';

/**
 * Serves /art/ID/VERSION/NAME. Only pictures that the game names are served.
 * @param {import('../lobby/lobby.js').Lobby} lobby
 * @param {import('../packages/packages.js').Packages} packages
 * @returns {import('express').RequestHandler<{id: string, version: string, name: string}>}
 */
export function artFile(lobby, packages) {
  return async ({ params: { id, version, name } }, response) => {
    const games = [...lobby.games, ...lobby.matches.map(({ game }) => game)];
    const game = games.find((each) => each.id === id && each.hash === version);
    const isNamed = game?.view.kinds.some(({ picture }) => picture === `${ART}/${name}`);
    if (!game?.package || !isNamed) {
      throw new PitvError('PITV_NOT_FOUND', 'There is no such picture.');
    }
    const { bytes, type } = await readPicture(packages.folderOf(game.package), name);
    response.set({ 'Content-Security-Policy': POLICY, 'Cache-Control': CACHE }).type(type);
    response.send(bytes);
  };
}
