/** Rehearses the code of a worker in the zygote. */
import * as clones from '../clones.js';
import { Encoder, useClones } from '../transport/codec.js';
import { KIND, ringsOf, viewOfAll } from '../transport/layout.js';
import { Receiver } from '../transport/receiver.js';
import { Sender } from '../transport/sender.js';
import { TaskServer } from './task-server.js';

const TASKS = 20;
const ECHO = 'data:text/javascript,export default (task) => task';

useClones(clones); // the children of the zygote have it

/** Is thrown out of the last wait, which in a child would block. */
class Rehearsed extends Error {}

/** Runs tasks with values of several kinds. @param {ArrayBuffer} memory zeroed @param {number} ringBytes */
export async function rehearseTasks(memory, ringBytes) {
  const view = viewOfAll(memory);
  const { requests, responses } = ringsOf(view, ringBytes);
  const sender = new Sender(requests, () => {});
  const receiver = new Receiver(responses, () => {});
  const encoder = new Encoder();
  const bytes = new Uint8Array(64);
  const values = [undefined, 1, { bytes, text: 'rehearsal' }, bytes, [1, 2, 3], 'text'];
  let sent = 0;
  const send = (/** @type {number} */ kind, /** @type {any} */ value) => {
    encoder.prepare(value);
    sender.send(kind, ++sent, 0, encoder);
  };
  const start = { ringBytes, filename: ECHO, name: 'default', concurrency: 1, blocks: true };
  const server = new TaskServer(
    view,
    { ...start, niceIncrement: 0, workerData: undefined },
    {
      block() {
        while (receiver.next()) {
          receiver.decode();
          receiver.free();
        }
        if (sent > TASKS) throw new Rehearsed();
        send(KIND.task, values[sent % values.length]);
      },
      wakePool() {},
      onWake() {},
    },
  );
  send(KIND.handler, Buffer.from(JSON.stringify({ filename: ECHO, name: 'default' })));
  await server.serve().catch((error) => {
    if (!(error instanceof Rehearsed)) throw error;
  });
}
