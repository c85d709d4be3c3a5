/** Lists the routes of the TV, from its own application. */
import { EventEmitter } from 'node:events';
import { AdminCheck } from '../../app/server/admin.js';
import { createApp } from '../../app/server/http.js';

/** Routes that do not need the admin. All others do. */
export const OPEN_ROUTES = Object.freeze([
  'GET /healthz',
  'GET /metrics',
  'GET /p',
  'GET /art/:id/:version/:name',
  'GET /sounds/:id/:version/:name',
  'GET /api/wifi', // from the network of the access point
  'POST /api/wifi',
  'GET /api/admin/session',
  'POST /api/admin/login',
  'POST /api/admin/logout',
  'GET /api/fleet',
  'GET /api/games',
  'GET /api/games/:id/preview',
  'GET /api/matches',
  'GET /api/matches/:id/game',
  'GET /api/matches/:id/replay', // with --screen-access code, to screens and players
  'POST /api/matches', // with the join code
  'DELETE /api/matches/:id', // by its owner
]);

/** Values of the parameters in a path. A test may have no effect even where a route is open by mistake. */
const PARAMETERS = /:\w+/g;
const VALUE = 'none';

/**
 * @typedef {object} Route
 * @property {string} name method and path with the names of parameters
 * @property {string} method
 * @property {string} path with values for the parameters
 *
 * @typedef {{path: string, methods?: string[], router?: Listed}} Entry
 * @typedef {{listRoutes: () => Entry[]}} Listed Express 5.3, which its types do not have
 */

/** @param {Listed} router @param {string} [prefix] @returns {Route[]} */
const list = (router, prefix = '') =>
  router.listRoutes().flatMap(({ path, methods = [], router: inner }) => {
    const whole = `${prefix}${path}`.replace(/(.)\/$/, '$1');
    if (inner) return list(inner, whole);
    return methods.map((method) => ({
      name: `${method} ${whole}`,
      method,
      path: whole.replaceAll(PARAMETERS, VALUE),
    }));
  });

/** Lists all routes. @returns {Route[]} */
export function listRoutes() {
  const services = {
    settings: { publicUrl: '', allowedOrigin: [], host: '', tlsCert: '', language: 'auto' },
    addresses: { of: () => '', isProxy: () => false },
    lobby: new EventEmitter(),
    admin: new AdminCheck(/** @type {any} */ ({}), () => ''),
    home: { serveFiles() {} },
    installed: {},
    wifiSetup: {},
  };
  const app = createApp(/** @type {any} */ (services));
  return list(/** @type {any} */ (app.router));
}

/** Lists the routes that need the admin. A GET route stands for HEAD, too. @returns {Route[]} */
export const listAdminRoutes = () =>
  listRoutes().filter(({ name }) => !OPEN_ROUTES.includes(name.replace(/^HEAD/, 'GET')));
