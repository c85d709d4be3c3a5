/**
 * Forks cluster workers beside a program that uses node:cluster itself. The module has one set of
 * settings, one list of workers and one emitter for the whole process; after each fork the program
 * finds its settings as they were, and its listeners and cluster.workers never see a worker of ours.
 *
 * What node:cluster does not allow to keep apart:
 * - Ids: the program's own workers skip the numbers of ours.
 * - The first fork fixes cluster.schedulingPolicy; a program that changes it has to do so before.
 * - `cluster.emit` is replaced by a function that drops the events of our workers.
 */
import cluster from 'node:cluster';

/** @type {WeakSet<object>} workers and settings of ours */
const ours = new WeakSet();
let filtering = false;

/** Keeps the events of what is ours from the program's listeners. */
function filterEvents() {
  if (filtering) return;
  filtering = true;
  const { emit } = cluster;
  /** @param {string} event @param {...any} args the first one is the worker, or of 'setup' the settings */
  const filtered = (event, ...args) =>
    Object(args[0]) === args[0] && ours.has(args[0])
      ? false
      : Reflect.apply(emit, cluster, [event, ...args]);
  cluster.emit = /** @type {any} */ (filtered);
}

/**
 * @param {import('node:cluster').ClusterSettings} settings of this worker; none of the program's apply
 * @param {(fork: () => import('node:cluster').Worker) => import('node:cluster').Worker} around calls fork()
 * @param {Record<string, string>} env added to this process's own
 * @returns {import('node:cluster').Worker}
 */
export function forkIsolated(settings, around, env) {
  filterEvents();
  const saved = cluster.settings;
  /** @param {object} value */
  const set = (value) => Reflect.set(cluster, 'settings', value);
  try {
    set({});
    cluster.setupPrimary(settings);
    ours.add(cluster.settings);
    return around(() => {
      const worker = cluster.fork(env);
      ours.add(worker);
      ours.add(cluster.settings); // fork() has made another copy
      delete cluster.workers?.[worker.id];
      return worker;
    });
  } finally {
    set(saved);
  }
}
