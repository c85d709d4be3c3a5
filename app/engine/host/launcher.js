/**
 * Defines the types that an engine kind implements. Adding an engine means writing a Launcher: how memory is shared
 * and how a worker is launched. host/engine.js does the rest.
 */

/**
 * @typedef {object} Launcher one engine kind
 * @property {string} name
 * @property {boolean} ownProcess whether every worker is a process of its own
 * @property {(bytes: number) => SharedMemory} share allocates shared memory
 * @property {(request: LaunchRequest) => Launch} launch starts a thread or process
 * @property {() => Promise<void>} [close] frees what the engine kind holds, after all workers have ended
 *
 * @typedef {object} SharedMemory
 * @property {ArrayBuffer | SharedArrayBuffer} memory zeroed
 * @property {number} [fd] descriptor from which another process maps the memory
 * @property {() => void} free
 *
 * @typedef {object} LaunchRequest
 * @property {string} name
 * @property {import('../worker/run.js').Task} task
 * @property {SharedMemory} shared
 * @property {(text: unknown) => void} warn handles a warning of the worker, which may be anything
 * @property {(text: unknown) => void} output handles output of the worker, which may be anything
 *
 * @typedef {object} Launch one thread or process
 * @property {number} pid
 * @property {number} [threadId] Node's id of the thread; default 0, the main thread of the process
 * @property {Promise<{tid?: number}>} ready tid: the kernel's id of the thread. Rejects when the start fails
 * @property {Promise<LaunchEnd>} ended never rejects; the worker no longer touches the mailbox afterwards
 * @property {() => void} kill ends the worker at once; idempotent
 *
 * @typedef {import('../zygote/process-handle.js').ProcessEnd & {outOfMemory?: boolean}} LaunchEnd
 *
 * @typedef {object} WorkerStats
 * @property {number} id
 * @property {string} name
 * @property {number} pid
 * @property {number} threadId
 * @property {number | null} pssKib proportional set size of the worker's process; null when it cannot be read
 * @property {number | null} ussKib
 * @property {number | null} rssKib
 * @property {number} cpu percent of one core since the previous call of stats()
 * @property {number} cpuMs since the worker started
 * @property {number} heapKib heap and buffers, as the worker reports them
 * @property {number} ticks
 * @property {number} lateTicks
 * @property {number} stepMicros duration of the last step
 * @property {number} stepMicrosMax longest step since the previous call of stats()
 */

export {};
