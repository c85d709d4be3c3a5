/** /api/fleet: shows the nodes of the fleet and which match runs where, and drains nodes. */
import { express, jsonBody } from './express.js';

/**
 * Makes the router of /api/fleet.
 * @param {import('./admin.js').AdminCheck} admin
 * @param {import('../lobby/home.js').Home} home
 * @returns {import('express').Router}
 */
export function fleetRouter(admin, home) {
  const router = express.Router();
  router.get('/', (_request, response) => {
    response.set('Cache-Control', 'no-store').json(home.describe());
  });
  router.post('/nodes/:node/drain', admin.authorize, jsonBody, async (request, response) => {
    const on = request.body?.on === true;
    response.json(await home.drainNode(String(request.params.node), on));
  });
  return router;
}
