/** The program of a spare thread: that of the thread engine, with the job's module loaded in advance. */
import './job.js';

export { default } from '../../../app/engine/worker/thread-entry.js';

/** Resolves when the thread has loaded its modules. */
export const ping = () => {};
