/** The types of the interface. index.js exports this module, so that the declarations of a program can name them. */

/**
 * @typedef {object} PoolOptions
 * @property {'thread' | 'process' | 'zygote'} [engine] what a worker is; default 'thread'
 * @property {string | URL | null} [filename] absolute path or file: URL of the module that handles tasks
 * @property {string | null} [name] its export that handles them; default 'default'
 * @property {number} [minThreads] workers that always run; default half of the cores
 * @property {number} [maxThreads] default 1.5 times the cores
 * @property {number} [idleTimeout] ms after which an idle worker above minThreads ends; default 0
 * @property {number | 'auto'} [maxQueue] tasks that may wait; 'auto': the square of maxThreads. Default: no limit
 * @property {number} [concurrentTasksPerWorker] default 1
 * @property {'sync' | 'async' | 'disabled'} [atomics] 'sync', the default: an idle worker blocks, and its event loop
 *   stands still. Otherwise its event loop continues
 * @property {import('node:worker_threads').ResourceLimits} [resourceLimits]
 * @property {any[]} [argv] @property {string[]} [execArgv]
 * @property {NodeJS.ProcessEnv | symbol} [env]
 * @property {any} [workerData]
 * @property {TaskQueue} [taskQueue]
 * @property {number} [niceIncrement] added to the niceness of workers; Linux
 * @property {boolean} [trackUnmanagedFds] threads only
 * @property {number} [closeTimeout] ms that close() waits for running tasks; default 30,000
 * @property {boolean} [recordTiming] default true
 * @property {boolean} [workerHistogram] default false
 * @property {boolean} [stricterFIFO] has no effect: the order is always that of a strict queue
 * @property {(task: PiscinaTask, workers: WorkerView[]) =>
 *   WorkerView | null} [loadBalancer] chooses the worker of a task
 * @property {number} [taskTimeoutMs] a task that runs longer rejects, and its worker is replaced; default: no limit
 * @property {number} [memoryMb] a worker that needs more memory ends, and its task rejects, 8..65,536. Threads: the
 *   heap of JavaScript; processes: private memory on top of what Node.js itself maps. Default: no limit
 * @property {number} [retries] how often a task runs again whose worker has died, 0..100; default 0
 * @property {boolean} [locked] locks workers before they load the module: no other files, no network, no processes.
 *   Default false
 * @property {string[]} [readable] absolute paths that locked workers may read besides the module's folder
 * @property {boolean} [addon] false: threads do not use the native addon; default true
 *
 * @typedef {object} RunOptions
 * @property {readonly any[]} [transferList] what is moved to the worker instead of copied
 * @property {string | URL | null} [filename] @property {string | null} [name] instead of the pool's
 * @property {TaskSignal | null} [signal] ends the task
 * @property {number} [taskTimeoutMs] @property {number} [retries] instead of the pool's
 */

/**
 * The options of a pool with defaults.
 * @typedef {Omit<PoolOptions, 'filename' | 'name'> & {engine: 'thread' | 'process' | 'zygote', filename: string | null,
 *   name: string, minThreads: number, maxThreads: number, idleTimeout: number, maxQueue: number,
 *   concurrentTasksPerWorker: number, atomics: string, niceIncrement: number, closeTimeout: number,
 *   recordTiming: boolean, workerHistogram: boolean, retries: number, locked: boolean, readable: string[],
 *   addon: boolean, taskQueue: TaskQueue}} CheckedPoolOptions
 *
 * @typedef {{addEventListener: (name: 'abort', listener: () => void, options?: any) => void,
 *   removeEventListener: (name: 'abort', listener: () => void) => void, readonly aborted?: boolean,
 *   readonly reason?: unknown} | Pick<import('node:events').EventEmitter, 'once' | 'removeListener'>} TaskSignal
 *   an AbortSignal or an event emitter
 */

/**
 * A worker. Declared as a thread, the default; a child process and a fork have `pid` and `kill()` instead of
 * `threadId`, `terminate()` and `postMessage()`.
 * @typedef {import('node:worker_threads').Worker &
 *   {readonly pid?: number, kill?: (signal?: NodeJS.Signals) => boolean}} PoolThread
 */

/**
 * @typedef {object} WorkerView
 * @property {number} id of the thread or the process
 * @property {number} currentUsage running tasks; Infinity if one of them may be aborted
 * @property {boolean} isRunningAbortableTask
 * @property {Summary | null} histogram
 * @property {boolean} terminating @property {boolean} destroyed
 */

/**
 * A task as queues and load balancers see it. A queue also gets its value.
 * @typedef {{readonly taskId: number, readonly filename: string, readonly name: string, readonly created: number,
 *   readonly isAbortable: boolean, readonly task?: any} &
 *   Readonly<Record<typeof import('./movable.js').queueOptionsSymbol, any>>} PiscinaTask
 *
 * @typedef {object} TaskQueue
 * @property {number} size
 * @property {() => any} shift returns the next task, and removes it; null or undefined if there is none
 * @property {(task: any) => void} remove
 * @property {(task: any) => void} push
 * @property {(task: any) => void} [unshift] puts a task back in front; without it, push() is used
 */

/**
 * @typedef {object} Summary times in ms
 * @property {number} average @property {number} mean @property {number} stddev @property {number} min
 * @property {number} max @property {number} p0_001 @property {number} p0_01 @property {number} p0_1
 * @property {number} p1 @property {number} p2_5 @property {number} p10 @property {number} p25
 * @property {number} p50 @property {number} p75 @property {number} p90 @property {number} p97_5
 * @property {number} p99 @property {number} p99_9 @property {number} p99_99 @property {number} p99_999
 *
 * @typedef {object} HistogramView
 * @property {Summary} runTime undefined with `recordTiming: false`
 * @property {Summary} waitTime the same
 * @property {() => void} resetRunTime @property {() => void} resetWaitTime
 */

export {};
