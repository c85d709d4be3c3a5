/** The page and the API of the access point that a board without a network opens. All others get status 404. */
import { PitvError } from '../errors.js';
import { express, jsonBody, noStore } from './express.js';

const PAGE = '/wifi';
/** What phones and computers request to find out whether a network leads to the internet. */
const PROBES = new Set([
  '/generate_204', // Android, Chrome OS
  '/gen_204',
  '/hotspot-detect.html', // Apple
  '/library/test/success.html',
  '/connecttest.txt', // Windows
  '/ncsi.txt',
  '/redirect',
  '/success.txt', // Firefox
  '/canonical.html',
  '/check_network_status.txt', // NetworkManager
]);

/**
 * Makes the handler that redirects phones in the network of the access point to the page: whatever they look for on
 * other hosts, and the TV's start page, which is for televisions.
 * @param {import('../system/wifi-setup.js').WifiSetup} wifiSetup @returns {import('express').RequestHandler}
 */
export function captivePortal(wifiSetup) {
  return (request, response, next) => {
    const { accessPoint } = wifiSetup;
    if (!accessPoint || !wifiSetup.isClient(request.socket)) return next();
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    const { path } = request;
    if (host === accessPoint.address && path !== '/' && !PROBES.has(path)) return next();
    response.set('Cache-Control', 'no-store');
    const port = request.socket.localPort === 80 ? '' : `:${request.socket.localPort}`;
    response.redirect(302, `http://${accessPoint.address}${port}${PAGE}`);
  };
}

/**
 * Makes the handler that hides the page and the API from everybody outside of the network of the access point.
 * @param {import('../system/wifi-setup.js').WifiSetup} wifiSetup @returns {import('express').RequestHandler}
 */
export const onlyFromAccessPoint = (wifiSetup) => (request, _response, next) => {
  if (!wifiSetup.isClient(request.socket))
    throw new PitvError('PITV_NOT_FOUND', 'Nothing was found at this URL.');
  next();
};

/**
 * Makes the router of /api/wifi.
 * @param {import('../system/wifi-setup.js').WifiSetup} wifiSetup @returns {import('express').Router}
 */
export function wifiRouter(wifiSetup) {
  const router = express.Router();
  router.use(noStore);
  router.get('/', async (_request, response) => {
    const { problem = '' } = wifiSetup.accessPoint ?? {};
    response.json({ networks: await wifiSetup.networks(), problem });
  });
  router.post('/', jsonBody, async (request, response) => {
    const { name, password = '', country = '' } = request.body ?? {};
    const values = [name, password, country];
    if (values.some((value) => typeof value !== 'string') || name === '') {
      throw new PitvError('PITV_BODY_INVALID', 'name, password and country have to be texts.');
    }
    await wifiSetup.join({ name, password, country });
    response.status(202).end();
  });
  return router;
}
