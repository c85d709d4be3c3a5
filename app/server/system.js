/** /api/system: the machine around the TV; for admins only. */
import express from 'express';
import { PitvError } from '../errors.js';
import { LIMITS } from '../limits/table.js';

const LINES = Object.freeze({ usual: 200, most: 2000 });
/** name -> type of what may be downloaded */
const REPORTS = Object.freeze({
  'report.html': 'text/html',
  'results.json': 'application/json',
  'samples.csv': 'text/csv',
});

/**
 * @param {import('./admin.js').AdminCheck} admin
 * @param {import('../system/index.js').System} system
 * @returns {import('express').Router}
 */
export function systemRouter(admin, system) {
  const router = express.Router();
  const json = express.json({ limit: LIMITS.bodyBytes.value });
  router.use(admin.only, (_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });

  router.get('/', async (_request, response) => {
    response.json(await system.facts());
  });

  router.get('/journal', async (request, response) => {
    const { lines = String(LINES.usual) } = request.query;
    const count = Number(lines);
    if (!/^\d{1,4}$/.test(String(lines)) || count < 1 || count > LINES.most) {
      throw new PitvError('PITV_OPTION_INVALID', `lines may be 1..${LINES.most}.`);
    }
    response.type('text/plain').send(await system.journal(count));
  });

  router.post('/paper', json, async (request, response) => {
    const quick = request.body?.quick ?? true;
    if (typeof quick !== 'boolean') {
      throw new PitvError('PITV_BODY_INVALID', 'quick has to be true or false.');
    }
    await system.paper.start({ quick });
    response.status(202).json(await system.paper.state());
  });
  router.delete('/paper', (_request, response) => {
    system.paper.stop();
    response.status(204).end();
  });
  router.get('/paper/:name', async (request, response) => {
    const { name } = request.params;
    const file = await system.paper.report(name);
    const type = /** @type {Record<string, string>} */ (REPORTS)[name];
    // As a file: the page's own rules forbid it its styles and scripts, and it needs nothing of the TV's.
    response.attachment(`pitv-paper-${name}`).type(type).send(file);
  });

  router.post('/:wish', async (request, response) => {
    await system.wish(request.params.wish);
    response.status(202).end();
  });
  return router;
}
