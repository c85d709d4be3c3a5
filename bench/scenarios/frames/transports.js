/**
 * Ways for frames from a worker to the main thread. Each starts worker.js in a thread or a process,
 * which sends hz frames a second, or, for hz = 0, as many as it can: into the mailbox without ever
 * waiting, for a newer frame takes the place of one that nobody took; by the others with a few frames
 * under way, so that none waits in memory without bound.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Mailbox, mailboxBytes } from '../../../app/engine/mailbox/mailbox.js';
import { native } from '../../../app/native/native.js';

const SCRIPT = fileURLToPath(new URL('worker.js', import.meta.url));
/** Frames that may be under way; each message back says that so many were taken. */
export const WINDOW = 8;

/**
 * @typedef {(frame: Uint8Array) => void} Take
 * @typedef {{close: () => unknown}} Running
 * @typedef {(options: {bytes: number, hz: number}, take: Take) => Promise<Running>} Transport
 */

/** @param {object} request @param {(message: any) => void} onMessage */
function thread(request, onMessage) {
  const worker = new Worker(SCRIPT, { workerData: { ...request, window: WINDOW } });
  worker.on('message', onMessage);
  return worker;
}

/** @param {object} request @param {import('node:child_process').ForkOptions} [options] */
function child(request, options) {
  return fork(SCRIPT, [JSON.stringify({ ...request, window: WINDOW })], options);
}

/** Calls back after each WINDOW / 2 frames. @param {Take} take @param {(frames: number) => void} acknowledge */
function counting(take, acknowledge) {
  let frames = 0;
  return (/** @type {Uint8Array} */ frame) => {
    take(frame);
    if (++frames % (WINDOW / 2) === 0) acknowledge(WINDOW / 2);
  };
}

/**
 * Takes frames out of a mailbox, hz times a second or whenever the event loop turns.
 * @param {Mailbox} mailbox @param {number} hz @param {Take} take @returns {() => void} ends it
 */
function pump(mailbox, hz, take) {
  let open = true;
  const turn = () => {
    const frame = mailbox.takeFrame();
    if (frame) take(frame.bytes);
    if (!open) return;
    if (hz === 0) setImmediate(turn);
    else setTimeout(turn, 1000 / hz);
  };
  turn();
  return () => (open = false);
}

/** @param {number} bytes */
const sizesOf = (bytes) => ({ inputSlots: 1, frameBytes: bytes, checkpointBytes: 0 });

/** @param {boolean} transfer @returns {Transport} */
const messages =
  (transfer) =>
  async ({ bytes, hz }, take) => {
    const got = counting(take, (frames) => worker.postMessage(frames));
    const worker = thread({ by: 'message', bytes, hz, transfer }, got);
    return { close: () => worker.terminate() };
  };

/** @param {'json' | 'advanced'} serialization @returns {Transport} */
const ipc =
  (serialization) =>
  async ({ bytes, hz }, take) => {
    const worker = child({ by: 'ipc', bytes, hz }, { serialization });
    const gone = () => {}; // it is killed at the end, with messages under way
    const got = counting(take, (frames) => worker.connected && worker.send(frames, gone));
    // JSON knows no bytes: {type: 'Buffer', data: [...]}.
    worker.on('message', (/** @type {any} */ message) => got(message.data ?? message));
    return { close: () => worker.kill('SIGKILL') };
  };

/** @type {Record<string, {engine: 'thread' | 'process', open: Transport}>} */
export const TRANSPORTS = {
  'mailbox, thread': {
    engine: 'thread',
    async open({ bytes, hz }, take) {
      const sizes = sizesOf(bytes);
      const memory = new SharedArrayBuffer(mailboxBytes(sizes));
      const stop = pump(Mailbox.create(memory, sizes), hz, take);
      const worker = thread({ by: 'mailbox', bytes, hz, memory }, () => {});
      return { close: () => (stop(), worker.terminate()) };
    },
  },
  'mailbox, process': {
    engine: 'process',
    async open({ bytes, hz }, take) {
      const sizes = sizesOf(bytes);
      const { buffer, fd } = native().createMemory(mailboxBytes(sizes));
      const stop = pump(Mailbox.create(buffer, sizes), hz, take);
      const worker = child(
        { by: 'mailbox', bytes, hz, fd: 4 },
        { stdio: ['ignore', 'inherit', 'inherit', 'ipc', fd] },
      );
      return { close: () => (stop(), worker.kill('SIGKILL')) };
    },
  },
  'postMessage, copied': { engine: 'thread', open: messages(false) },
  'postMessage, transferred': { engine: 'thread', open: messages(true) },
  'IPC, json': { engine: 'process', open: ipc('json') },
  'IPC, advanced': { engine: 'process', open: ipc('advanced') },
  'unix socket': {
    engine: 'process',
    async open({ bytes, hz }, take) {
      const folder = mkdtempSync(join(tmpdir(), 'pitv-frames-'));
      const path = join(folder, 'socket');
      const server = createServer((socket) => {
        const got = counting(take, (frames) => socket.write(Uint8Array.of(frames)));
        /** @type {Buffer[]} */
        let parts = [];
        let have = 0;
        socket.on('error', () => {}); // it is killed at the end
        socket.on('data', (part) => {
          parts.push(/** @type {Buffer} */ (part));
          have += part.length;
          while (have >= bytes) {
            const all = parts.length === 1 ? parts[0] : Buffer.concat(parts);
            got(all.subarray(0, bytes));
            parts = all.length > bytes ? [all.subarray(bytes)] : [];
            have = all.length - bytes;
          }
        });
      });
      await new Promise((resolve) => server.listen(path, () => resolve(undefined)));
      const worker = child({ by: 'socket', bytes, hz, path });
      return {
        close() {
          worker.kill('SIGKILL');
          server.close();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  },
};
