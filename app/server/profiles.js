/** /api/profiles: CPU profiles and heap snapshots of the running TV. For the admin only. */
import { basename, dirname } from 'node:path';
import { express, jsonBody } from './express.js';

/**
 * Makes the router of /api/profiles.
 * @param {import('./admin.js').AdminCheck} admin
 * @param {import('../system/profiles.js').RunningProfiles} profiles
 * @returns {import('express').Router}
 */
export function profilesRouter(admin, profiles) {
  const router = express.Router();
  router.use(admin.authorize);

  router.get('/', async (_request, response) => {
    response.set('Cache-Control', 'no-store').json(await profiles.status());
  });
  router.post('/', jsonBody, async ({ body }, response) => {
    response.status(202).json(await profiles.start(body?.target, body?.kind));
  });
  router.get('/:name', async (request, response) => {
    const path = await profiles.find(request.params.name);
    response.set('Cache-Control', 'no-store').attachment(basename(path));
    response.type('application/octet-stream');
    response.sendFile(basename(path), {
      root: dirname(path),
      dotfiles: 'allow',
      cacheControl: false,
    });
  });
  router.delete('/:name', async (request, response) => {
    await profiles.remove(request.params.name);
    response.status(204).end();
  });
  return router;
}
