/** /api/system: the machine around the TV, for admins only. */
import { PitvError } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { checkValue, integer } from '../options.js';
import { express, jsonBody, noStore } from './express.js';

const DEFAULT_LINES = 200;
const MAX_LINES = 2000;

/** Makes the router. @param {import('./http.js').HttpServices} services @returns {import('express').Router} */
export function systemRouter({ admin, system, hub }) {
  const router = express.Router();
  router.use(admin.authorize, noStore);

  router.get('/', async (_request, response) => {
    response.json({ ...(await system.facts()), volume: hub.screens.volume });
  });

  router.post('/volume', jsonBody, (request, response) => {
    const percent = request.body?.percent;
    checkValue('The volume', 'percent', integer(0, 100), percent);
    hub.screens.setVolume(percent);
    response.status(204).end();
  });

  router.get('/history', (_request, response) => response.json(system.history.read()));

  router.get('/journal', async (request, response) => {
    const lines = Number(request.query.lines ?? DEFAULT_LINES);
    checkValue('The journal', 'lines', integer(1, MAX_LINES), lines);
    response.type('text/plain').send(await system.journal(lines));
  });

  router.post('/paper', jsonBody, async (request, response) => {
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
    response.attachment(`pitv-paper-${name}`).send(file);
  });

  const part = express.raw({ limit: LIMITS.bundlePartBytes.value, type: () => true });
  router.put('/update', part, async (request, response) => {
    const { offset = '', size = '', upload = '' } = request.query;
    const isPlaced = [offset, size].every((bytes) => /^\d{1,10}$/.test(String(bytes)));
    if (!isPlaced || !(request.body?.length > 0)) {
      const sentence = 'Send a part of the file, its offset, and the size of the file in bytes.';
      throw new PitvError('PITV_BODY_INVALID', sentence);
    }
    const where = { offset: Number(offset), size: Number(size), upload: String(upload) };
    response.json({ upload: await system.updates.write(request.body, where) });
  });
  for (const wish of /** @type {const} */ (['look', 'again'])) {
    router.post(`/update/${wish}`, async (_request, response) => {
      await system.updates[wish]();
      response.status(202).end();
    });
  }

  router.post('/:action', async (request, response) => {
    await system.requestPower(request.params.action);
    response.status(202).end();
  });
  return router;
}
