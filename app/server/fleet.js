/** /api/fleet: shows the nodes of the fleet and which match runs where, and drains nodes. */
import { PitvError } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { express } from './express.js';

/**
 * Makes the router of /api/fleet.
 * @param {import('./admin.js').AdminCheck} admin
 * @param {import('../services.js').Services['fleet']} fleet
 * @returns {import('express').Router}
 */
export function fleetRouter(admin, fleet) {
  const router = express.Router();
  /** @type {import('express').RequestHandler} */
  const requireFleet = (_request, _response, next) => {
    if (!fleet) throw new PitvError('PITV_NOT_FOUND', 'This TV belongs to no fleet.');
    next();
  };

  router.get('/', requireFleet, (_request, response) => {
    response.set('Cache-Control', 'no-store').json(fleet?.state);
  });
  router.post(
    '/nodes/:node/drain',
    admin.authorize,
    requireFleet,
    express.json({ limit: LIMITS.bodyBytes.value }),
    async (request, response) => {
      const on = request.body?.on === true;
      response.json(await fleet?.drainNode(String(request.params.node), on));
    },
  );
  return router;
}
