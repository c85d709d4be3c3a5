/** Limits on logging in, sessions and profiles of the admin. */
import { rows } from './rows.js';

export const adminLimits = rows({
  // A million guesses take a year.
  wrongPasswords: {
    bounds: 'Wrong admin passwords of an address',
    value: { perSecond: 1 / 30, burst: 5 },
    unit: 'passwords',
    effect: '`PITV_LOGIN_LOCKED`, status 429',
  },
  // Limits hashing for strangers to a tenth of a core.
  wrongPasswordsOfAll: {
    bounds:
      'Wrong admin passwords of all addresses, except `127.0.0.1`, `::1` and those where the admin has logged in',
    value: { perSecond: 1 / 2, burst: 20 },
    unit: 'passwords',
    effect: '`PITV_LOGIN_LOCKED`, status 429',
  },
  adminAddresses: {
    bounds: 'Remembered addresses where the admin has logged in since the start of the TV',
    value: 32,
    unit: 'addresses',
    effect: 'nothing: the least recent one is forgotten',
  },
  waitingLogins: {
    bounds:
      'Passwords waiting to be checked; as many again for these addresses, which are checked first',
    value: 8,
    unit: 'requests',
    effect: '`PITV_LOGIN_BUSY`, status 503',
  },
  adminSessions: {
    bounds: 'Sessions of the admin',
    value: 32,
    unit: 'sessions',
    effect: 'nothing: the oldest session is logged out',
  },
  snapshotSeconds: {
    bounds: 'Time for which a profile or heap snapshot may block the main thread of a service',
    value: 600,
    unit: 'seconds',
    effect: 'the end of the connection: the service manager restarts the TV',
  },
});
