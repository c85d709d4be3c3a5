/** /api: JSON over HTTP, for scripts and the pages. */
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { PitvError } from '../errors.js';
import { clientKey } from '../limits/client-key.js';
import { LIMITS } from '../limits/table.js';
import { hasHash } from '../lobby/tokens.js';
import { checkPreview, etagOf } from '../match/previews.js';
import { isObject } from '../storage/checks.js';
import { ADMIN, bearerToken, loginRouter } from './admin.js';
import { express, jsonBody, noStore } from './express.js';
import { packagesRouter } from './packages.js';
import { replayRoute } from './replays.js';
import { describeGame } from './client-messages.js';
import { systemRouter } from './system.js';

/** Makes the router of /api. @param {import('./http.js').HttpServices} services @returns {import('express').Router} */
export function apiRouter(services) {
  const { lobby, admin, previews, hub, addresses, home } = services;
  const router = express.Router();
  router.use('/admin', loginRouter(admin));
  router.use('/packages', packagesRouter(services));
  router.use('/system', systemRouter(services));
  addAdminRoutes(router, services);

  router.get('/games', (_request, response) => {
    response.json(lobby.offered.map(describeGame));
  });

  home.serveFiles('preview', async ({ id, hash }) => {
    const own = lobby.games.filter(({ elsewhere }) => !elsewhere);
    const game = own.find((each) => each.id === id && each.hash === hash);
    if (!game) throw new PitvError('PITV_NOT_FOUND', 'There is no such game.');
    await previews.get(game);
    return previews.pathOf(game);
  });
  router.get('/games/:id/preview', async (request, response) => {
    const game = lobby.game(request.params.id);
    if (game.elsewhere) {
      const { value: maxBytes } = LIMITS.savedPictureBytes;
      const bytes = checkPreview(await home.readFile(game, 'preview', 'frame', maxBytes));
      response.set('ETag', etagOf(game)).type('application/octet-stream').send(bytes);
      return;
    }
    const { bytes, etag } = await previews.get(game);
    response.set('ETag', etag).type('application/octet-stream').send(Buffer.from(bytes));
  });

  router.get('/matches', (_request, response) => {
    const matches = lobby.matches.map((match) => {
      const { id, game, phase, players, ticks, restarts } = match;
      const spectators = hub.pump.watchers(match).size;
      return { id, game: game.id, phase, players: players.length, spectators, ticks, restarts };
    });
    response.json({ matches, capacity: lobby.capacity });
  });

  /** The version of the game that the match plays, which may no longer be installed. */
  router.get('/matches/:id/game', (request, response) => {
    response.json(describeGame(lobby.match(request.params.id).game));
  });
  router.get('/matches/:id/replay', replayRoute(services));

  router.post('/matches', jsonBody, async (request, response) => {
    const { body } = request;
    if (!isObject(body)) {
      throw new PitvError('PITV_BODY_INVALID', 'The body must be a JSON object.');
    }
    const { game, options, code } = body;
    const address = addresses.of(request);
    const byAdmin = await admin.identify(request);
    if (!byAdmin) lobby.code.check(code, address);
    const by = byAdmin ? { owner: ADMIN } : { owner: 'api', client: clientKey(address) };
    const { match, token } = await lobby.start(game, { options, ...by });
    response.status(201).location(`/api/matches/${match.id}`).json({ id: match.id, token });
  });

  router.delete('/matches/:id', async (request, response) => {
    const match = lobby.match(request.params.id);
    const owns = hasHash(bearerToken(request), match.tokenHash);
    if (!owns && !(await admin.identify(request))) {
      const sentence =
        'Only the owner of the match and the admin may stop it. Send the token of one of them, or log in.';
      throw new PitvError('PITV_NOT_YOURS', sentence);
    }
    await match.stop();
    response.status(204).end();
  });

  router.get('/fleet', noStore, (_request, response) => {
    response.json(home.describe());
  });
  return router;
}

/**
 * Adds routes for the admin only: players, the memory of the TV, profiles, measurements, and nodes of a fleet.
 * @param {import('express').Router} router @param {import('./http.js').HttpServices} services
 */
function addAdminRoutes(router, { admin, lobby, records, profiles, server, home }) {
  const paths = ['/players', '/records', '/profiles', '/measurements', '/fleet/nodes'];
  router.use(paths, admin.authorize, noStore);

  router.get('/players', (_request, response) => {
    const players = lobby.players.all.map(({ id, name, color, connected, match, client }) => {
      return { id, name, color, connected, match: match?.id ?? null, address: client ?? null };
    });
    response.json({ players });
  });
  router.delete('/players/:id', (request, response) => {
    const player = lobby.players.get(Number(request.params.id));
    if (!player) throw new PitvError('PITV_PLAYER_UNKNOWN', 'There is no such player.');
    lobby.players.remove(player);
    response.status(204).end();
  });

  router.get('/records', (_request, response) => {
    response.attachment('pitv-records.json').json(records.export());
  });
  router.delete('/records', async (_request, response) => {
    await records.erase();
    response.status(204).end();
  });

  router.get('/profiles', (_request, response) => {
    response.json({ seconds: profiles.seconds, targets: profiles.targets });
  });
  router.post('/profiles', jsonBody, async ({ body }, response) => {
    const how = { dotfiles: /** @type {const} */ ('allow'), cacheControl: false };
    const send = promisify(
      (/** @type {string} */ path, /** @type {(error?: Error) => void} */ done) =>
        response.type('application/octet-stream').download(path, basename(path), how, done),
    );
    await profiles.take(body?.target, body?.kind, send);
  });

  router.get('/measurements', (_request, response) => {
    response.json(server.measurements());
  });
  router.delete('/measurements', (_request, response) => {
    server.resetMeasurements();
    response.status(204).end();
  });

  router.post('/fleet/nodes/:node/drain', jsonBody, async (request, response) => {
    const on = request.body?.on === true;
    response.json(await home.drainNode(String(request.params.node), on));
  });
}
