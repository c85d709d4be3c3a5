/** /api/players: lists and removes players. For the admin only. */
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
