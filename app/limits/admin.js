/** Limits on the admin and on native pads. */
import { limit, rate } from './rows.js';

export const adminLimits = Object.freeze({
  // Logging in, sessions and profiles
  // A million guesses take a year.
  wrongPasswords: rate(
    'Wrong admin passwords of an address',
    1 / 30,
    5,
    'passwords',
    '`PITV_LOGIN_LOCKED`, status 429',
  ),
  // Limits hashing for strangers to a tenth of a core.
  wrongPasswordsOfAll: rate(
    'Wrong admin passwords of all addresses, except `127.0.0.1`, `::1` and those where the admin has logged in',
    1 / 2,
    20,
    'passwords',
    '`PITV_LOGIN_LOCKED`, status 429',
  ),
  adminAddresses: limit(
    'Remembered addresses where the admin has logged in since the start of the TV',
    32,
    'addresses',
    'nothing: the least recent one is forgotten',
  ),
  waitingLogins: limit(
    'Passwords waiting to be checked; as many again for these addresses, which are checked first',
    8,
    'requests',
    '`PITV_LOGIN_BUSY`, status 503',
  ),
  adminSessions: limit(
    'Sessions of the admin',
    32,
    'sessions',
    'nothing: the oldest session is logged out',
  ),
  snapshotSeconds: limit(
    'Time for which a profile or heap snapshot may block the main thread of a service',
    600,
    'seconds',
    'the end of the connection: the service manager restarts the TV',
  ),
  // Native pads
  udpPads: limit('Players with a key for datagrams', 256, 'players', '`PITV_UDP_FULL`'),
  // More than over a websocket, because networks deliver datagrams in bursts.
  udpInputs: limit(
    'Datagrams of a pad in a second',
    200,
    'datagrams',
    'nothing: the datagram is dropped',
  ),
});
