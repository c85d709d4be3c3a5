/**
 * The types of the interface. index.js exports this module, so that the declarations of a program can name them.
 */

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
 * @property {(task: object, workers: WorkerView[]) =>
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
 * @property {AbortSignal | import('node:events').EventEmitter | null} [signal] ends the task
 * @property {number} [taskTimeoutMs] @property {number} [retries] instead of the pool's
 */

/**
 * A thread, a child process or a fork. In declarations, a fork is described by what the three have in common.
 * @typedef {import('node:worker_threads').Worker | import('node:child_process').ChildProcess | PoolFork} PoolThread
 *
 * @typedef {import('node:events').EventEmitter & {readonly pid: number, kill: (signal?: NodeJS.Signals) => boolean,
 *   ref: () => void, unref: () => void}} PoolFork
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
 * @typedef {object} TaskQueue
 * @property {number} size
 * @property {() => any} shift returns the next task, and removes it; null or undefined if there is none
 * @property {(task: any) => void} remove
 * @property {(task: any) => void} push
 * @property {(task: any) => void} [unshift] puts a task back in front; without it, push() is used
 */

/**
 * @typedef {Record<string, number>} Summary times in ms: average, mean, stddev, min, max, p50, p99, p99_9 and so on
 *
 * @typedef {object} HistogramView
 * @property {Summary | undefined} runTime undefined: times are not recorded
 * @property {Summary | undefined} waitTime
 * @property {() => void} resetRunTime @property {() => void} resetWaitTime
 */

export {};
