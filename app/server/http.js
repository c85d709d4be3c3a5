/** Pages, API, health and metrics: the express application. */
import express from 'express';
import { statusOf } from '../errors/table.js';
import { PitvError } from '../errors.js';
import { LogLimiter } from '../limits/log-limiter.js';
import { apiRouter } from './api.js';
import { clipFile } from './clips.js';
import { securityHeaders } from './headers.js';
import { originCheck } from './origins.js';
import { servePages } from './pages.js';

/**
 * @typedef {object} Http what the application needs of the server
 * @property {import('./admin.js').AdminCheck} admin
 * @property {import('./hub.js').Hub} hub
 * @property {import('./client-address.js').ClientAddresses} addresses
 * @property {import('./metrics.js').Metrics} metrics
 * @property {{snapshot: () => object, reset: () => void}} measurements
 *
 * @typedef {import('../create-tv.js').Services & Http} HttpServices
 */

/**
 * @param {HttpServices} services
 * @returns {import('express').Express}
 */
export function createApp(services) {
  const { lobby, settings, log, metrics, addresses } = services;
  const app = express();
  const allowed = originCheck(settings);
  app.disable('x-powered-by');
  app.set('trust proxy', addresses.isProxy); // for request.secure
  app.use(securityHeaders());
  app.use((request, _response, next) => {
    if (!allowed(request.headers)) {
      metrics.counters.dropped('request-origin');
      throw new PitvError(
        'PITV_ORIGIN',
        'The TV is not known under this name; see --public-url and --allowed-origin.',
      );
    }
    next();
  });
  app.get('/healthz', (_request, response) => {
    response.set('Cache-Control', 'no-store').json({
      ok: true,
      uptimeS: Math.floor(process.uptime()),
      engine: lobby.engine.name,
      matches: lobby.matches.length,
    });
  });
  app.get('/metrics', async (_request, response) => {
    const text = await metrics.text();
    response.set('Cache-Control', 'no-store').type(metrics.registry.contentType).send(text);
  });
  app.use('/api', noCache, apiRouter(services));
  app.get('/clips/:id.mp4', noCache, clipFile(services.clips, addresses));

  app.get('/p', (request, response) => {
    const { c } = request.query;
    response.redirect(typeof c === 'string' ? `/pad?c=${encodeURIComponent(c)}` : '/pad');
  });
  app.use(servePages());

  app.use(() => {
    throw new PitvError('PITV_NOT_FOUND', 'There is nothing here.');
  });
  app.use(errorHandler(log));
  return app;
}

/**
 * "no-cache" is: keep it, but ask first. With an ETag that costs one 304, and after an update of
 * the TV no phone shows an old page.
 * @param {import('express').Request} _request @param {import('express').Response} response
 * @param {import('express').NextFunction} next
 */
function noCache(_request, response, next) {
  response.set('Cache-Control', 'no-cache');
  next();
}

/** @param {import('pino').Logger} log @returns {import('express').ErrorRequestHandler} */
function errorHandler(log) {
  const rare = new LogLimiter(log);
  return (error, request, response, next) => {
    if (response.headersSent) {
      next(error); // half an answer cannot be taken back; express ends the connection
      return;
    }
    const { status, code, message } = describe(error);
    if (status === 500) rare.error(error, { url: request.path }, 'request failed');
    response.status(status).set('Cache-Control', 'no-store');
    const retryAfterS = error instanceof PitvError && error.details?.retryAfterS;
    if (retryAfterS) response.set('Retry-After', String(retryAfterS));
    response.json({ error: { code, message } });
  };
}

/** @param {any} error anything thrown */
function describe(error) {
  if (error instanceof PitvError) {
    return { status: statusOf(error.code), code: error.code, message: error.message };
  }
  const status = Number.isInteger(error?.status) ? error.status : 500;
  if (status >= 400 && status < 500) {
    // Express's own: bad JSON, too large, bad percent-encoding. Their texts quote the input.
    const code = status === 413 ? 'PITV_BODY_TOO_LARGE' : 'PITV_REQUEST_INVALID';
    return { status, code, message: `The request cannot be understood (${status}).` };
  }
  return { status: 500, code: 'PITV_INTERNAL', message: 'Something went wrong in the TV.' };
}
