/** The type of a match's worker: a ResilientWorker, or one that may run on another TV (fleet/fleet-worker.js). */

/**
 * @typedef {import('node:events').EventEmitter & MatchWorkerMembers} MatchWorker
 * @typedef {import('./resilient-worker.js').Checkpoint} Checkpoint
 *
 * @typedef {object} MatchWorkerMembers
 * @property {import('../engine/mailbox/mailbox.js').Mailbox | undefined} mailbox
 * @property {boolean} isOwn whether this TV runs the match, and so ends, records and saves it
 * @property {boolean} ended whether the match is over, or ends now
 * @property {boolean} running @property {number} restarts @property {number} pid
 * @property {string | undefined} problem @property {string | undefined} place
 * @property {Checkpoint | undefined} checkpoint @property {(checkpoint?: Checkpoint) => Promise<void>} start
 * @property {(reason: import('./results.js').EndReason) => Promise<void>} end ends the match wherever it runs
 * @property {() => Promise<void>} stop stops a worker of this TV after its last checkpoint; never hangs
 * @property {(by?: string) => void} pause has it stand still between two ticks, wherever it runs; by: the name of who
 *   pauses, '' for a screen; undefined: it goes on
 * @property {() => void} close @property {(onStopped: () => void) => Promise<void>} replace
 * @property {(module: {url: string, lock?: import('../engine/lock-support.js').Lock}) => void} setModule
 * @property {() => Uint8Array | undefined} takeFrame @property {Uint8Array | undefined} lastFrame
 * @property {() => void} sendInputs has new inputs reach the worker at once
 */

export {};
