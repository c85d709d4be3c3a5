/** Opens a receiver with one seated pad, and a socket to send datagrams to it. */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { native } from '../../app/native/native.js';
import { Mailbox, mailboxBytes } from '../../app/engine/mailbox/mailbox.js';
import { packInput, unpackInput, withGeneration } from '../../app/game/input.js';
import { OUTCOMES, RELEASED, encodeDatagram } from '../../app/udp/datagram.js';
import { openReceiver } from '../../app/udp/receiver.js';
import { until } from '../support/tv.js';

const SIZES = { inputSlots: 4, frameBytes: 64, checkpointBytes: 64 };
export const MATCH = 777;
export const SLOT = 2;
export const GENERATION = 5;

/** Creates a mailbox of worker threads or of processes. @param {'shared array buffer' | 'mapping'} kind */
export function makeMailbox(kind) {
  if (kind === 'shared array buffer') {
    const memory = new SharedArrayBuffer(mailboxBytes(SIZES));
    return { mailbox: Mailbox.create(memory, SIZES), unmap() {} };
  }
  const { buffer } = native().createMemory(mailboxBytes(SIZES));
  const mailbox = Mailbox.create(buffer, SIZES);
  return { mailbox, unmap: () => native().unmapMemory(buffer) };
}

/**
 * @param {import('node:test').TestContext} t
 * @param {Partial<import('../../app/udp/receiver.js').ReceiverOptions>} options
 */
export async function open(t, options) {
  const receiver = await openReceiver({ host: '127.0.0.1', ...options });
  t.after(() => receiver.close());
  const { mailbox } = makeMailbox('shared array buffer');
  const key = randomBytes(16);
  const pad = 0x01020304;
  receiver.add(pad, key);
  const present = withGeneration(packInput(0, 0, 0, 3, 14), GENERATION);
  mailbox.writeInput(SLOT, present);
  const seat = { inputs: mailbox.inputs, slot: SLOT, match: MATCH, generation: GENERATION };
  receiver.seat(pad, seat);

  const socket = createSocket('udp4');
  t.after(() => new Promise((resolve) => socket.close(() => resolve(undefined))));
  let sequence = 0;

  const sums = () => receiver.counters().outcomes;
  const total = () => sums().reduce((a, b) => a + b, 0);
  const accepted = () => sums()[OUTCOMES.indexOf('accepted')];

  /** Sends a datagram and waits for its outcome. @param {Uint8Array} bytes @returns {Promise<string>} the outcome */
  async function send(bytes) {
    const before = sums();
    const count = total();
    socket.send(bytes, receiver.port, '127.0.0.1');
    await until(() => total() > count, 'the datagram to be counted');
    const after = sums();
    return OUTCOMES[after.findIndex((value, i) => value > before[i])];
  }

  /** @param {Partial<import('../../app/udp/datagram.js').PadInput>} [input] @param {Uint8Array} [signingKey] */
  function datagram(input, signingKey = key) {
    if (input?.sequence === undefined) sequence++;
    const place = { match: MATCH, pad, slot: SLOT, sequence };
    return encodeDatagram({ ...place, ...RELEASED, ...input }, signingKey);
  }

  return {
    receiver,
    mailbox,
    key,
    pad,
    seat,
    present,
    send,
    accepted,
    datagram,
    input: () => unpackInput(mailbox.readInput(SLOT)),
    /** @param {Partial<import('../../app/udp/datagram.js').PadInput>} [input] */
    say: (input) => send(datagram(input)),
  };
}
