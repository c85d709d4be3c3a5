/** /api/packages: the games of the TV, for the admin only. Packages are uploaded and removed here. */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { PitvError } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { checkPackage } from '../packages/check-package.js';
import { tooLarge } from '../packages/package-folder.js';
import { limitBytes } from '../storage/limit-bytes.js';
import { express, noStore } from './express.js';

/**
 * Makes the router of /api/packages.
 * @param {import('./http.js').HttpServices} services @returns {import('express').Router}
 */
export function packagesRouter({ admin, lobby, installed, settings, times }) {
  const router = express.Router();
  const { packages } = installed;
  const crashes = countCrashes(lobby);
  /** @param {import('../packages/packages.js').Staged} staged */
  const check = (staged) => checkPackage(staged, settings.untrustedGames);
  const stalledMs = times?.packageStalledMs ?? LIMITS.packageStalledMs.value;
  let uploading = false;
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

  router.post('/', async (request, response) => {
    const sentence = 'Another package is being uploaded. Wait for it.';
    if (uploading) throw new PitvError('PITV_PACKAGE_BUSY', sentence);
    uploading = true;
    // Beside the unfinished installations, which are deleted after a power cut.
    const file = packages.folderOf({ folder: `.upload-${randomBytes(6).toString('hex')}.tgz` });
    let record;
    try {
      await packages.open();
      await packages.saving(() => receive(request, file, stalledMs));
      record = await packages.install({ kind: 'upload' }, { file, check });
      await installed.refresh();
    } finally {
      await rm(file, { force: true }).finally(() => (uploading = false));
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

/**
 * Writes the body of a request to a file. A connection that brings no bytes is ended, so that its upload refuses no
 * other one.
 * @param {import('express').Request} request @param {string} file @param {number} stalledMs
 * @throws {PitvError} PITV_PACKAGE_SIZE
 */
async function receive(request, file, stalledMs) {
  const max = LIMITS.packageArchiveBytes.value;
  const createError = () => tooLarge(`An archive may have at most ${max} bytes.`);
  if (Number(request.get('content-length') ?? 0) > max) throw createError();
  const limit = limitBytes(max, createError);
  const { socket } = request;
  const { timeout = 0 } = socket;
  const end = () => void socket.destroy();
  socket.setTimeout(stalledMs, end);
  try {
    await pipeline(request, limit, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  } finally {
    socket.off('timeout', end).setTimeout(timeout);
  }
}
