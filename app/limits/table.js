/**
 * Lists every limit on what a network client, a saved file or a worker may use. Each limit is one row of a file in
 * this folder. docs/operations.md has a table made from the rows (`make docs`).
 */
import { adminLimits } from './admin.js';
import { clipLimits } from './clips.js';
import { connectionLimits } from './connections.js';
import { matchLimits } from './matches.js';
import { messageLimits } from './messages.js';
import { playerLimits } from './players.js';
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
  ...clipLimits,
  ...adminLimits,
  ...udpLimits,
  ...storageLimits,
});

/**
 * Adds the websockets that one address may have to a rate's burst: when the TV returns, all of them come back.
 * @param {Rate} rate @param {{maxClientsPerAddress: number}} settings
 * @returns {Rate}
 */
export const burstFor = ({ perSecond, burst }, { maxClientsPerAddress }) => ({
  perSecond,
  burst: burst + maxClientsPerAddress,
});
