/**
 * Lists all limits on network clients, saved files and workers. Each limit is a row of a file in this folder.
 * `make docs` generates the table in docs/operations.md from the rows.
 */
import { adminLimits } from './admin.js';
import { clientLimits } from './clients.js';
import { fileLimits } from './files.js';
import { matchLimits } from './matches.js';
import { workerLimits } from './workers.js';

export const LIMITS = Object.freeze({
  ...clientLimits,
  ...matchLimits,
  ...workerLimits,
  ...adminLimits,
  ...fileLimits,
});

/**
 * Adds the maximum number of websockets per address to the burst of a rate: after a restart of the TV, all clients of
 * an address reconnect at once.
 * @param {import('./rows.js').Rate} rate @param {{maxClientsPerAddress: number}} settings
 * @returns {import('./rows.js').Rate}
 */
export const burstFor = ({ perSecond, burst }, { maxClientsPerAddress }) => ({
  perSecond,
  burst: burst + maxClientsPerAddress,
});
