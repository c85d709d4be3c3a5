/** /api/packages: the games of the TV, for the admin only. Packages are uploaded and removed here. */
import { PitvError } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { checkPackage } from '../packages/foreign-games.js';
import { tooLarge } from '../packages/package-folder.js';
import { express, noStore } from './express.js';

const MAX_BYTES = LIMITS.packageArchiveBytes.value;
const readBody = express.raw({ limit: MAX_BYTES, type: () => true, inflate: false });

/**
 * Makes the router of /api/packages.
 * @param {import('./http.js').HttpServices} services @returns {import('express').Router}
 */
export function packagesRouter({ admin, lobby, installed, settings }) {
  const router = express.Router();
  const { packages } = installed;
  const crashes = countCrashes(lobby);
  /** @param {import('../packages/packages.js').Staged} staged */
  const check = (staged) => checkPackage(staged, settings.untrustedGames);
  let installing = false;
  router.use(admin.authorize, noStore);

  router.get('/', (_request, response) => {
    const games = [
      ...lobby.games
        .filter(({ package: own, elsewhere }) => !own && !elsewhere)
        .map(({ id, title }) => ({ id, title, installed: null, problem: null })),
      ...installed.entries.map(({ game, installed: record, problem = null }) => {
        const { id, name } = record;
        return { id, title: game?.title ?? name, installed: about(record), problem };
      }),
    ].map((game) => {
      const matches = lobby.matches.filter((match) => match.game.id === game.id).length;
      return { ...game, matches, crashes: crashes.get(game.id) ?? 0 };
    });
    response.json({ games });
  });

  router.post('/', readArchive, async (request, response) => {
    const sentence = 'Another package is being uploaded. Wait for it.';
    if (installing) throw new PitvError('PITV_PACKAGE_BUSY', sentence);
    installing = true;
    let record;
    try {
      const { body: file = new Uint8Array() } = request;
      record = await packages.install({ kind: 'upload' }, { file, check });
      await installed.refresh();
    } finally {
      installing = false;
    }
    response.status(201).json(about(record)); // the client may upload the next one at once
  });

  router.delete('/:id', async (request, response) => {
    await packages.remove(request.params.id);
    await installed.refresh();
    response.status(204).end();
  });
  return router;
}

/** @param {import('../packages/packages.js').Installed} record */
const about = ({ id, name, version, bytes, files, source, installedAt }) => {
  return { id, name, version, bytes, files, installedAt, source: source.kind };
};

/** Counts the failures of workers since the TV started, by game. @param {import('../lobby/lobby.js').Lobby} lobby */
function countCrashes(lobby) {
  /** @type {Map<string, number>} */
  const crashes = new Map();
  const count = (/** @type {import('../match/match.js').Match} */ { game: { id } }) =>
    void crashes.set(id, (crashes.get(id) ?? 0) + 1);
  lobby.on('restart', count);
  lobby.on('ended', (match, { reason }) => reason === 'failed' && count(match));
  return crashes;
}

/** Reads the archive in a body. @type {import('express').RequestHandler} */
const readArchive = (request, response, next) =>
  readBody(request, response, (error) => {
    const sentence = `An archive may have at most ${MAX_BYTES} bytes.`;
    next(error?.status === 413 ? tooLarge(sentence) : error);
  });
