/** Warns when a frame or a checkpoint of a worker does not fit into its mailbox. */

/** @typedef {import('./handle.js').WorkerHandle} WorkerHandle */

export class OversizeLog {
  #log;
  /** @type {WeakSet<WorkerHandle>} workers with a logged frame */
  #frames = new WeakSet();
  /** @type {WeakSet<WorkerHandle>} workers with a logged checkpoint */
  #checkpoints = new WeakSet();

  /** @param {import('./options.js').Log} [log] */
  constructor(log) {
    this.#log = log;
  }

  /** Logs a worker's first oversized frame and first oversized checkpoint. @param {WorkerHandle} worker */
  check(worker) {
    const { oversizedFrame, oversizedCheckpoint, sizes } = worker.mailbox;
    const about = { worker: worker.id, name: worker.name };
    if (oversizedFrame !== 0 && !this.#frames.has(worker)) {
      this.#frames.add(worker);
      this.#log?.warn(
        { ...about, bytes: oversizedFrame, frameBytes: sizes.frameBytes },
        'a frame was longer than the mailbox has room for and was cut; give the worker a larger frameBytes',
      );
    }
    if (oversizedCheckpoint !== 0 && !this.#checkpoints.has(worker)) {
      this.#checkpoints.add(worker);
      this.#log?.warn(
        { ...about, bytes: oversizedCheckpoint, checkpointBytes: sizes.checkpointBytes },
        'a checkpoint was longer than the mailbox has room for and was dropped; give the worker a larger checkpointBytes',
      );
    }
  }
}
