/**
 * The pools of the dispatch scenario: pitv's pools and engines, libraries, and plain messages, also of other runtimes.
 */
import { ENGINES } from '../../../app/engine/index.js';
import { BARE_MESSAGES } from './bare-messages.js';
import { MAX_INPUT_BYTES, freshWorkers, mailboxes } from './engines.js';
import { LIBRARIES, pitvPool } from './libraries.js';

/**
 * @typedef {Uint8Array | null} Payload
 *
 * @typedef {object} Pool
 * @property {(payload: Payload) => Promise<unknown>} run resolves with the answer
 * @property {(bytes: number) => Uint8Array} [allocate] memory that pool and workers share
 * @property {() => unknown} [kill] ends one worker by force
 * @property {() => unknown} close
 *
 * @typedef {object} PoolNeeds
 * @property {number} bytes size of each payload
 * @property {number} workers
 * @property {boolean} moves whether payloads and answers are moved instead of copied, if the library can do that
 *
 * @typedef {(needs: PoolNeeds) => Promise<Pool>} OpenPool
 *
 * @typedef {object} PoolKind
 * @property {string} engine
 * @property {string} [runtime] runs both sides: bun or deno; Node.js if undefined
 * @property {OpenPool} open
 * @property {boolean} [moves] can move payloads
 * @property {boolean} [allocates] has shared memory for payloads
 * @property {boolean} [recovers] answers a task that is sent right after a worker was killed; others never do
 * @property {boolean} [isEngine] an engine for long jobs, which is measured with small payloads only
 * @property {boolean} [shortLived] a worker ends with its task
 * @property {number} [maxBytes] maximum size of a payload
 */

/** @type {Record<string, PoolKind>} */
export const POOLS = {
  ...Object.fromEntries(
    ENGINES.map((engine) => [
      `pitv ${engine}`,
      { engine, open: pitvPool(engine), moves: true, allocates: true, recovers: true },
    ]),
  ),
  ...LIBRARIES,
  ...BARE_MESSAGES,
  ...Object.fromEntries(
    ENGINES.flatMap((engine) => [
      [
        `pitv mailbox, ${engine}`,
        { engine, open: mailboxes(engine), isEngine: true, maxBytes: MAX_INPUT_BYTES },
      ],
      [
        `pitv ${engine} a task`,
        { engine, open: freshWorkers(engine), isEngine: true, shortLived: true, maxBytes: 0 },
      ],
    ]),
  ),
};
