/** Defines the types that a kind of workers implements. Each file in kinds/ exports `open(options, onRing)`. */

/**
 * @typedef {object} Kind
 * @property {import('../transport/arena.js').Arena} [arena] memory that pool and workers share
 * @property {(request: LaunchRequest) => Launch} launch starts a worker
 * @property {(on: boolean) => void} keepAlive keeps this process alive, or lets it end
 * @property {() => Promise<void>} close after all workers have ended
 *
 * @typedef {(options: import('../options.js').CheckedPoolOptions, onRing: () => void) => Kind} OpenKind onRing: is
 *   called in the event loop after a worker has sent something
 *
 * @typedef {object} LaunchRequest
 * @property {import('../worker/task-server.js').Start} start
 * @property {(message: any) => void} onMessage a message of the worker's module that belongs to no task
 *
 * @typedef {object} Launch one worker
 * @property {number} pid
 * @property {number} [threadId] of a thread
 * @property {ReturnType<typeof import('../transport/layout.js').ringsOf>} rings
 * @property {(control: Int32Array, index: number) => void} wakeBlocked wakes the worker that blocks while a word has a
 *   value
 * @property {() => void} wakeLoop wakes its event loop
 * @property {Promise<LaunchEnd>} ended never rejects
 * @property {() => void} kill ends the worker at once; idempotent
 * @property {() => void} free frees the shared memory, after the worker has ended
 * @property {() => void} [onReady] is called when the worker takes tasks
 * @property {() => void} [trim] returns unused pages of the rings to the system; only while no record is in them
 * @property {import('node:worker_threads').MessagePort} [values] carries values that shared memory cannot; threads only
 * @property {import('node:worker_threads').Worker | import('node:child_process').ChildProcess |
 *   import('../../engine/zygote/forked-process.js').ForkedProcess} handle
 *
 * @typedef {import('../../engine/host/launcher.js').LaunchEnd} LaunchEnd
 */

export {};
