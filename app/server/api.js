/** /api: JSON over HTTP for scripts and for the pages. */
import express from 'express';
import { PitvError } from '../errors.js';
import { clientKey } from '../limits/client-key.js';
import { LIMITS } from '../limits/table.js';
import { hasHash } from '../lobby/tokens.js';
import { ADMIN, bearer } from './admin.js';
import { clipRouter } from './clips.js';
import { loginRouter } from './login.js';
import { playersRouter } from './players.js';
import { profilesRouter } from './profiles.js';
import { systemRouter } from './system.js';

/** @param {import('./http.js').HttpServices} services @returns {import('express').Router} */
export function apiRouter(services) {
  const { lobby, clips, admin, system, profiles, previews, hub, addresses, measurements } =
    services;
  const router = express.Router();
  router.use('/admin', loginRouter(admin, addresses.of));
  router.use('/players', playersRouter(admin, lobby));
  router.use('/profiles', profilesRouter(admin, profiles));
  router.use('/clips', clipRouter({ clips, lobby, admin }));
  router.use('/system', systemRouter(admin, system));

  router.get('/games', (_request, response) => {
    response.json(
      lobby.games.map(({ id, title, tagline, rules, players, controls, view, options }) => ({
        id,
        title,
        tagline,
        rules,
        players,
        controls,
        view,
        options: options ?? {},
      })),
    );
  });

  router.get('/games/:id/preview', async (request, response) => {
    const { bytes, etag } = await previews.get(lobby.game(request.params.id));
    response.set('ETag', etag).type('application/octet-stream').send(Buffer.from(bytes));
  });

  router.get('/matches', (_request, response) => {
    response.json({
      matches: lobby.matches.map((match) => ({
        id: match.id,
        game: match.game.id,
        phase: match.phase,
        players: match.players.length,
        spectators: hub.pump.watchers(match).size,
        startedAt: match.startedAt,
        ticks: match.ticks,
        restarts: match.restarts,
      })),
      capacity: lobby.capacity,
    });
  });

  router.post(
    '/matches',
    express.json({ limit: LIMITS.bodyBytes.value }),
    async (request, response) => {
      const body = request.body;
      if (body === null || typeof body !== 'object' || Array.isArray(body)) {
        throw new PitvError('PITV_BODY_INVALID', 'The body has to be a JSON object.');
      }
      const { game, options, code } = body;
      const address = addresses.of(request);
      const byAdmin = await admin.of(request);
      if (!byAdmin) lobby.code.check(code, address);
      const by = byAdmin ? { owner: ADMIN } : { owner: 'api', client: clientKey(address) };
      const { match, token } = await lobby.start(game, { options, ...by });
      response.status(201).location(`/api/matches/${match.id}`).json({ id: match.id, token });
    },
  );

  router.delete('/matches/:id', async (request, response) => {
    const match = lobby.match(request.params.id);
    const owns = hasHash(bearer(request), match.tokenHash);
    if (!owns && !(await admin.of(request))) {
      throw new PitvError(
        'PITV_NOT_YOURS',
        "This needs the match's own token, or the admin: log in, or show the token.",
      );
    }
    await match.stop();
    response.status(204).end();
  });

  router.get('/measurements', admin.only, (_request, response) => {
    response.json(measurements.snapshot());
  });
  router.delete('/measurements', admin.only, (_request, response) => {
    measurements.reset();
    response.status(204).end();
  });
  return router;
}
