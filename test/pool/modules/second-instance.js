/** A module that uses another instance of the library than its worker, in a folder that workerData names. */
import { workerData as given } from 'node:worker_threads';

const { isWorkerThread, move, workerData } = await import(`${given}/app/pool/index.js`);

export const about = () => ({ isWorkerThread, workerData });
/** @param {number} length */
export const moved = (length) => move(new Uint8Array(length).fill(7));
