/** The express application: pages, API, health check and metrics. */
import { statusOf } from '../errors/table.js';
import { PitvError } from '../errors.js';
import { LogLimiter } from '../limits/log-limiter.js';
import { apiRouter } from './api.js';
import { INTERNAL } from './connection.js';
import { express, noCache, noStore } from './express.js';
import { httpsOnly, securityHeaders } from './headers.js';
import { mediaFile } from './media.js';
import { isAmbiguous, originCheck } from './origins.js';
import { servePages } from './pages.js';
import { captivePortal, onlyFromAccessPoint, wifiRouter } from './wifi.js';

/**
 * @typedef {object} Http parts of the server that the application uses
 * @property {import('./admin.js').AdminCheck} admin @property {import('./hub.js').Hub} hub
 * @property {import('./origins.js').ClientAddresses} addresses
 * @property {import('./metrics.js').Metrics} metrics
 * @property {{measurements: () => object, resetMeasurements: () => void}} server
 *
 * @typedef {import('../tv.js').Services & Http} HttpServices
 */

/**
 * Tells whether a page of another TV that belongs to this one reads something: its own TV may be gone.
 * @param {import('express').Request} request @param {string[]} origins of the TVs
 */
const isOfOtherTv = ({ method, headers: { origin } }, origins) =>
  origin !== undefined && ['GET', 'HEAD', 'OPTIONS'].includes(method) && origins.includes(origin);

/** Creates the application. @param {HttpServices} services @returns {import('express').Express} */
export function createApp(services) {
  const { lobby, settings, log, metrics, addresses, home, wifiSetup } = services;
  const app = express();
  const allowed = originCheck(settings);
  app.disable('x-powered-by');
  app.set('trust proxy', addresses.isProxy); // for request.secure
  app.use(
    securityHeaders(() => home.origins),
    httpsOnly(settings.publicUrl),
  );
  app.use((request, _response, next) => {
    if (!isAmbiguous(request)) return next();
    const sentence = 'The request has no Host header, or a header twice that it may have once.';
    throw new PitvError('PITV_REQUEST_INVALID', sentence);
  });
  app.use(captivePortal(wifiSetup)); // before the check of the host name
  app.use((request, response, next) => {
    if (isOfOtherTv(request, home.origins)) {
      response.set({ 'Access-Control-Allow-Origin': request.headers.origin, Vary: 'Origin' });
      if (request.method === 'OPTIONS') {
        response.set('Access-Control-Allow-Headers', 'authorization').status(204).end();
        return;
      }
    } else if (!allowed(request.headers)) {
      metrics.counters.dropped('request-origin');
      const sentence =
        'The TV does not accept this host name or origin. Allow it with --public-url or --allowed-origin.';
      throw new PitvError('PITV_ORIGIN', sentence);
    }
    next();
  });
  app.get('/healthz', noStore, (_request, response) => {
    const { engine, matches } = lobby;
    const uptimeS = Math.floor(process.uptime());
    const { node } = home;
    response.json({ ok: true, uptimeS, engine: engine.name, matches: matches.length, node });
  });
  app.get('/metrics', noStore, async (request, response) => {
    const registry = await metrics.scrape();
    if (request.accepts('text', 'json') === 'json')
      response.json(await registry.getMetricsAsJSON());
    else response.type(registry.contentType).send(await registry.metrics());
  });
  app.use(['/wifi', '/api/wifi'], onlyFromAccessPoint(wifiSetup));
  app.use('/api/wifi', wifiRouter(wifiSetup));
  app.use('/api', noCache, apiRouter(services));
  for (const kind of /** @type {const} */ (['art', 'sounds'])) {
    app.get(`/${kind}/:id/:version/:name`, mediaFile(kind, services));
  }

  app.get('/p', (request, response) => {
    const given = ['c', 'lang'].map((name) => [name, request.query[name]]);
    const known = given.filter(([, value]) => typeof value === 'string');
    const query = String(new URLSearchParams(Object.fromEntries(known)));
    response.redirect(query === '' ? '/pad' : `/pad?${query}`);
  });
  app.use(servePages({ language: settings.language, volume: () => services.hub.screens.volume }));

  app.use(() => {
    throw new PitvError('PITV_NOT_FOUND', 'Nothing was found at this URL.');
  });
  app.use(errorHandler(log));
  return app;
}

/** @param {import('pino').Logger} log @returns {import('express').ErrorRequestHandler} */
function errorHandler(log) {
  const limitedLog = new LogLimiter(log);
  return (error, request, response, _next) => {
    const { status, code, message } = describeError(error);
    if (status === 500) limitedLog.error(error, { url: request.path }, 'request failed');
    if (response.headersSent) return void response.destroy(); // express would also print the error
    response.status(status).set('Cache-Control', 'no-store');
    const retryAfterS = error instanceof PitvError && error.details?.retryAfterS;
    if (retryAfterS) response.set('Retry-After', String(retryAfterS));
    response.json({ error: { code, message } });
  };
}

/** Chooses the status, code and message of an error response. @param {any} error any thrown value */
function describeError(error) {
  if (error instanceof PitvError) {
    return { status: statusOf(error.code), code: error.code, message: error.message };
  }
  const status = Number.isInteger(error?.status) ? error.status : 500;
  if (status >= 400 && status < 500) {
    // Errors of express: invalid JSON, a large body, invalid percent-encoding. Their messages quote the input.
    const code = status === 413 ? 'PITV_BODY_TOO_LARGE' : 'PITV_REQUEST_INVALID';
    return { status, code, message: `The request is malformed (${status}).` };
  }
  return { status: 500, ...INTERNAL };
}
