/** As many pads as flows, each in a slot of its own; what every receiver of the comparison gets. */
import { Mailbox, mailboxBytes } from '../../app/engine/mailbox.js';
import { packInput, withGeneration } from '../../app/game/input.js';

/** What a pad's number begins with; its low byte is its flow. */
export const FIRST_PAD = 0x100;
export const FLOWS_MOST = 64;
const MATCH = 1;
const SIZES = { inputSlots: FLOWS_MOST, frameBytes: 64, checkpointBytes: 64 };

/** @param {{add: Function, seat: Function}} receiver @param {Buffer} key */
export function seatPads(receiver, key) {
  const mailbox = Mailbox.create(new SharedArrayBuffer(mailboxBytes(SIZES)), SIZES);
  for (let slot = 0; slot < FLOWS_MOST; slot++) {
    mailbox.writeInput(slot, withGeneration(packInput(0, 0, 0, 0, 0), 1));
    receiver.add(FIRST_PAD + slot, key);
    receiver.seat(FIRST_PAD + slot, {
      inputs: mailbox.inputs,
      slot,
      match: MATCH,
      generation: 1,
    });
  }
}
