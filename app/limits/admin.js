/** Limits on the admin and on native pads. */
import { limit, rate } from './rows.js';

export const adminLimits = Object.freeze({
  // Logging in, sessions and profiles
  // A million guesses take a year.
  wrongPasswords: rate(1 / 30, 5, 'passwords', {
    bounds: 'Wrong admin passwords of an address',
    effect: '`PITV_LOGIN_LOCKED`, status 429',
  }),
  // Limits hashing for strangers to a tenth of a core.
  wrongPasswordsOfAll: rate(1 / 2, 20, 'passwords', {
    bounds:
      'Wrong admin passwords of all addresses, except `127.0.0.1`, `::1` and those where the admin has logged in',
    effect: '`PITV_LOGIN_LOCKED`, status 429',
  }),
  adminAddresses: limit(32, 'addresses', {
    bounds: 'Remembered addresses where the admin has logged in since the start of the TV',
    effect: 'nothing: the least recent one is forgotten',
  }),
  waitingLogins: limit(8, 'requests', {
    bounds:
      'Passwords waiting to be checked; as many again for these addresses, which are checked first',
    effect: '`PITV_LOGIN_BUSY`, status 503',
  }),
  adminSessions: limit(32, 'sessions', {
    bounds: 'Sessions of the admin',
    effect: 'nothing: the oldest session is logged out',
  }),
  snapshotSeconds: limit(600, 'seconds', {
    bounds: 'Time for which a profile or heap snapshot may block the main thread of a service',
    effect: 'the end of the connection: the service manager restarts the TV',
  }),
  // Native pads
  udpPads: limit(256, 'players', {
    bounds: 'Players with a key for datagrams',
    effect: '`PITV_UDP_FULL`',
  }),
  // More than over a websocket, because networks deliver datagrams in bursts.
  udpInputs: limit(200, 'datagrams', {
    bounds: 'Datagrams of a pad in a second',
    effect: 'nothing: the datagram is dropped',
  }),
});
