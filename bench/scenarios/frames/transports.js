/**
 * Transports of frames from a worker to the main thread. Each starts worker.js in a thread or a process, which sends hz
 * frames a second, or as many as possible if hz is 0. The worker never waits for the mailbox, where a newer frame
 * replaces an unread one. With the other transports, it waits while WINDOW frames are unacknowledged, so that queues
 * stay short.
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
/** Maximum number of unacknowledged frames. Each message to the worker acknowledges a number of frames. */
const WINDOW = 8;

/**
 * @typedef {(frame: Uint8Array) => void} OnFrame
 * @typedef {{close: () => unknown}} Running
 * @typedef {(options: {bytes: number, hz: number}, onFrame: OnFrame) => Promise<Running>} Transport
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

/** Acknowledges frames, WINDOW / 2 at a time. @param {OnFrame} onFrame @param {(frames: number) => void} acknowledge */
function acknowledging(onFrame, acknowledge) {
  let frames = 0;
  return (/** @type {Uint8Array} */ frame) => {
    onFrame(frame);
    if (++frames % (WINDOW / 2) === 0) acknowledge(WINDOW / 2);
  };
}

/**
 * Polls a mailbox for frames, hz times a second, or once per turn of the event loop if hz is 0.
 * @param {Mailbox} mailbox @param {number} hz @param {OnFrame} onFrame @returns {() => void} stops polling
 */
function poll(mailbox, hz, onFrame) {
  let open = true;
  const turn = () => {
    const frame = mailbox.takeFrame();
    if (frame) onFrame(frame.bytes);
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
  async ({ bytes, hz }, onFrame) => {
    const got = acknowledging(onFrame, (frames) => worker.postMessage(frames));
    const worker = thread({ by: 'message', bytes, hz, transfer }, got);
    return { close: () => worker.terminate() };
  };

/** @param {'json' | 'advanced'} serialization @returns {Transport} */
const ipc =
  (serialization) =>
  async ({ bytes, hz }, onFrame) => {
    const worker = child({ by: 'ipc', bytes, hz }, { serialization });
    const ignoreError = () => {}; // the worker is killed at the end, while messages are in transit
    const got = acknowledging(
      onFrame,
      (frames) => worker.connected && worker.send(frames, ignoreError),
    );
    // JSON has no bytes: a Buffer becomes {type: 'Buffer', data: [...]}.
    worker.on('message', (/** @type {any} */ message) => got(message.data ?? message));
    return { close: () => worker.kill('SIGKILL') };
  };

/** @type {Record<string, {engine: 'thread' | 'process', open: Transport}>} */
export const TRANSPORTS = {
  'mailbox, thread': {
    engine: 'thread',
    async open({ bytes, hz }, onFrame) {
      const sizes = sizesOf(bytes);
      const memory = new SharedArrayBuffer(mailboxBytes(sizes));
      const stop = poll(Mailbox.create(memory, sizes), hz, onFrame);
      const worker = thread({ by: 'mailbox', bytes, hz, memory }, () => {});
      return { close: () => (stop(), worker.terminate()) };
    },
  },
  'mailbox, process': {
    engine: 'process',
    async open({ bytes, hz }, onFrame) {
      const sizes = sizesOf(bytes);
      const { buffer, fd } = native().createMemory(mailboxBytes(sizes));
      const stop = poll(Mailbox.create(buffer, sizes), hz, onFrame);
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
    async open({ bytes, hz }, onFrame) {
      const folder = mkdtempSync(join(tmpdir(), 'pitv-frames-'));
      const path = join(folder, 'socket');
      const server = createServer((socket) => {
        const got = acknowledging(onFrame, (frames) => socket.write(Uint8Array.of(frames)));
        /** @type {Buffer[]} */
        let parts = [];
        let have = 0;
        socket.on('error', () => {}); // the worker is killed at the end
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
