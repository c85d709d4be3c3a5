/**
 * Forks cluster workers without disturbing a program that uses node:cluster itself. node:cluster has one settings
 * object, one list of workers and one emitter per process. After each fork the program's settings are restored, and
 * its listeners and cluster.workers never see the engine's workers.
 *
 * Three effects remain visible to the program:
 * - Ids: the program's own workers skip the ids of the engine's workers.
 * - The first fork fixes cluster.schedulingPolicy. A program that changes the policy has to do so before.
 * - `cluster.emit` is replaced by a function that drops the events of the engine's workers.
 */
import cluster from 'node:cluster';

/** @type {WeakSet<object>} the engine's workers and settings */
const ours = new WeakSet();
let filtering = false;

/** Hides the events of the engine's workers and settings from the program's listeners. */
function filterEvents() {
  if (filtering) return;
  filtering = true;
  const { emit } = cluster;
  /** @param {string} event @param {...any} args the first one is the worker; for 'setup' the settings */
  const filtered = (event, ...args) =>
    Object(args[0]) === args[0] && ours.has(args[0])
      ? false
      : Reflect.apply(emit, cluster, [event, ...args]);
  cluster.emit = /** @type {any} */ (filtered);
}

/**
 * Forks a worker with settings of its own. The program's settings do not apply to it.
 * @param {import('node:cluster').ClusterSettings} settings
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
      ours.add(cluster.settings); // fork() replaces the object by a copy
      delete cluster.workers?.[worker.id];
      return worker;
    });
  } finally {
    set(saved);
  }
}
