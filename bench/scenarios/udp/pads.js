/** Registers the same pads with every receiver: one for each flow, each in a slot of its own. */
import { Mailbox, mailboxBytes } from '../../../app/engine/mailbox/mailbox.js';
import { packInput, withGeneration } from '../../../app/game/input.js';

/**
 * Number of the first pad; flows have consecutive pads. Warming up uses other pads, because each sequence number is
 * valid once.
 */
export const FIRST_PAD = 0x100;
export const FIRST_WARM_PAD = 0x180;
export const MAX_FLOWS = 64;
const MATCH = 1;
const SIZES = { inputSlots: MAX_FLOWS, frameBytes: 64, checkpointBytes: 64 };

/** Registers the pads. @param {{add: Function, seat: Function}} receiver @param {Buffer} key */
export function seatPads(receiver, key) {
  const mailbox = Mailbox.create(new SharedArrayBuffer(mailboxBytes(SIZES)), SIZES);
  for (let slot = 0; slot < MAX_FLOWS; slot++) {
    mailbox.writeInput(slot, withGeneration(packInput(0, 0, 0, 0, 0), 1));
    for (const first of [FIRST_WARM_PAD, FIRST_PAD]) {
      receiver.add(first + slot, key);
      receiver.seat(first + slot, {
        inputs: mailbox.inputs,
        slot,
        match: MATCH,
        generation: 1,
      });
    }
  }
}
