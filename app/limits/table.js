/**
 * Lists all limits on network clients, saved files and workers. Each limit is a row of a file in this folder.
 * `make docs` generates the table in docs/operations.md from the rows.
 */
import { adminLimits } from './admin.js';
import { connectionLimits } from './connections.js';
import { matchLimits } from './matches.js';
import { messageLimits } from './messages.js';
import { packageLimits } from './packages.js';
import { playerLimits } from './players.js';
import { replayLimits } from './replays.js';
import { storageLimits } from './storage.js';
import { udpLimits } from './udp.js';

/**
 * @typedef {import('./rows.js').Rate} Rate
 * @typedef {import('./rows.js').Limit} Limit
 */

export const LIMITS = Object.freeze({
  ...connectionLimits,
  ...messageLimits,
  ...playerLimits,
  ...matchLimits,
  ...replayLimits,
  ...adminLimits,
  ...udpLimits,
  ...storageLimits,
  ...packageLimits,
});

/**
 * Adds the maximum number of websockets per address to the burst of a rate: after a restart of the TV, all clients of
 * an address reconnect at once.
 * @param {Rate} rate @param {{maxClientsPerAddress: number}} settings
 * @returns {Rate}
 */
export const burstFor = ({ perSecond, burst }, { maxClientsPerAddress }) => ({
  perSecond,
  burst: burst + maxClientsPerAddress,
});
