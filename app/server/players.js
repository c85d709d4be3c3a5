/** /api/players and /api/records: lists and removes players, exports and erases the TV's memory. For the admin only. */
import { PitvError } from '../errors.js';
import { express } from './express.js';

/**
 * Makes the router of /api/players.
 * @param {import('./admin.js').AdminCheck} admin
 * @param {import('../lobby/lobby.js').Lobby} lobby
 * @returns {import('express').Router}
 */
export function playersRouter(admin, lobby) {
  const router = express.Router();
  router.use(admin.authorize);

  router.get('/', (_request, response) => {
    const players = lobby.players.all.map(({ id, name, color, connected, match, client }) => ({
      id,
      name,
      color,
      connected,
      match: match?.id ?? null,
      address: client ?? null,
    }));
    response.set('Cache-Control', 'no-store').json({ players });
  });
  router.delete('/:id', (request, response) => {
    const player = lobby.players.get(Number(request.params.id));
    if (!player) throw new PitvError('PITV_PLAYER_UNKNOWN', 'There is no such player.');
    lobby.players.remove(player);
    response.status(204).end();
  });
  return router;
}

/**
 * Makes the router of /api/records.
 * @param {import('./admin.js').AdminCheck} admin
 * @param {import('../lobby/records.js').Records} records
 * @returns {import('express').Router}
 */
export function recordsRouter(admin, records) {
  const router = express.Router();
  router.use(admin.authorize);

  router.get('/', (_request, response) => {
    response.attachment('pitv-records.json');
    response.set('Cache-Control', 'no-store').json(records.export());
  });
  router.delete('/', async (_request, response) => {
    await records.erase();
    response.status(204).end();
  });
  return router;
}
