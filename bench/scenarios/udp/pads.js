/** As many pads as flows, each in a slot of its own; what every receiver of the comparison gets. */
import { Mailbox, mailboxBytes } from '../../../app/engine/mailbox/mailbox.js';
import { packInput, withGeneration } from '../../../app/game/input.js';

/** The first pad's number; the next flow's is the next. Those that warm up are others, for a sequence number is good once. */
export const FIRST_PAD = 0x100;
export const FIRST_WARM_PAD = 0x180;
export const MAX_FLOWS = 64;
const MATCH = 1;
const SIZES = { inputSlots: MAX_FLOWS, frameBytes: 64, checkpointBytes: 64 };

/** @param {{add: Function, seat: Function}} receiver @param {Buffer} key */
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
