/**
 * Real workers that send odd values by IPC (process) or odd bytes on their channel (zygote). An input is one value or
 * one piece of bytes. The main process must survive it and notice the worker's end. Node's own messages (cmd:
 * 'NODE_...') are not sent, because a worker may use node:cluster.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { KIND, encode } from '../../../app/engine/zygote/channel.js';
import { createEngine } from '../../../app/engine/index.js';
import { silentLog } from '../../../app/log.js';
import { edited, oddValue, randomBytes } from '../support/arbitraries.js';
import { sizes } from '../support/talkative.js';

const JOB = new URL('../support/talkative.js', import.meta.url).href;
/** Inputs of one worker. A start takes milliseconds, a message microseconds. */
const BATCH = 1500;

const message = fc.oneof(
  oddValue,
  fc.record({ ready: oddValue }),
  fc.record({ failed: oddValue }),
  fc.record({ started: oddValue, error: oddValue, code: oddValue }),
);
const piece = fc.oneof(
  fc
    .tuple(fc.constantFrom(...Object.values(KIND), 99), fc.string())
    .map(([kind, text]) => encode(kind, text)),
  edited(message.map((value) => encode(KIND.message, value))),
  randomBytes(60),
);

/** @typedef {{value: unknown, piece: Buffer}} Said */

/** @type {import('../support/target.js').Target<Said>} */
export default {
  batch: BATCH,
  input: fc.record({ value: message, piece }),
  async open() {
    const engines = await Promise.all(
      ['process', 'zygote'].map((name) => createEngine(name, { log: silentLog, maxWorkers: 4 })),
    );
    /** @param {(typeof engines)[number]} engine @param {Record<string, unknown>} options */
    const run = async (engine, options) => {
      const mailbox = engine.createMailbox(sizes);
      try {
        const worker = await engine.start(JOB, { name: 'talkative', sizes, options, mailbox });
        const { reason } = await worker.exited;
        assert.ok(['done', 'stopped', 'crashed'].includes(reason), reason);
      } catch (error) {
        assert.match(String(Reflect.get(Object(error), 'code')), /^PITV_WORKER_/, String(error));
      } finally {
        engine.freeMailbox(mailbox);
      }
    };
    const [processes, zygote] = engines;
    return {
      async check(said) {
        // Both must end before the next check starts.
        const runs = await Promise.allSettled([
          run(processes, { values: said.map(({ value }) => value) }),
          run(zygote, { pieces: said.map(({ piece }) => piece) }),
        ]);
        for (const each of runs) if (each.status === 'rejected') throw each.reason;
      },
      async close() {
        await Promise.all(engines.map((engine) => engine.close({ graceMs: 0 })));
      },
    };
  },
};
