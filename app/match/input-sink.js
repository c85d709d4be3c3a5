/** Where the inputs of a match's seats are written: the mailbox of its worker. */
import { ABSENT } from '../game/input.js';

/** @typedef {import('./player.js').Player} Player */

/**
 * @typedef {object} InputSink writes players' inputs into the mailbox without the main thread, for example from
 *   datagrams; see Seats
 * @property {(player: Player, binding: Binding) => void} bind
 * @property {(player: Player) => void} unbind the mailbox is not used after this call
 *
 * @typedef {object} Binding
 * @property {import('./match.js').Match} match
 * @property {import('../engine/mailbox/mailbox.js').Mailbox} mailbox
 * @property {number} slot @property {number} generation 0..15
 */

/**
 * Gives access to the words of a worker's slots. Without a mailbox every slot is absent.
 * @param {import('./match-worker.js').MatchWorker} worker @returns {import('./seats.js').Slots}
 */
export const slotsOf = (worker) => ({
  read: (slot) => worker.mailbox?.readInput(slot) ?? ABSENT,
  write: (slot, word) => worker.mailbox?.writeInput(slot, word) ?? 0,
  replace: (slot, old, word) => worker.mailbox?.replaceInput(slot, old, word) ?? 0,
});

/**
 * Binds the seats of a match to a sink.
 * @param {import('./match.js').Match} match @param {import('./match-worker.js').MatchWorker} worker
 * @param {InputSink} [inputSink] @returns {import('./seats.js').SeatBinder}
 */
export const binderFor = (match, worker, inputSink) => ({
  bind: (player, slot, generation) => {
    const { mailbox } = worker;
    if (mailbox) inputSink?.bind(player, { match, mailbox, slot, generation });
  },
  unbind: (player) => inputSink?.unbind(player),
});
