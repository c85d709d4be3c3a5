/**
 * Passes the players' inputs to the worker. Each slot has an int32 sequence number and an int32 word. The writer
 * increments the sequence number after it has stored the word.
 */
export class InputSlots {
  /** The shared words, also written by the addon's UDP receiver. */
  words;

  /** @param {Int32Array} words two for each slot */
  constructor(words) {
    this.words = words;
  }

  /**
   * Writes the newest word of a slot.
   * @param {number} slot @param {number} word int32
   * @returns {number} the input's sequence number, uint32
   */
  write(slot, word) {
    Atomics.store(this.words, slot * 2 + 1, word);
    return (Atomics.add(this.words, slot * 2, 1) + 1) >>> 0;
  }

  /**
   * Writes a word unless the slot's word has changed since it was read.
   * @param {number} slot @param {number} old the word that read() returned @param {number} word
   * @returns {number} the input's sequence number, uint32; -1 when the slot now contains another word
   */
  replace(slot, old, word) {
    if (Atomics.compareExchange(this.words, slot * 2 + 1, old, word) !== old) return -1;
    return (Atomics.add(this.words, slot * 2, 1) + 1) >>> 0;
  }

  /**
   * Writes a word with its sequence number, both of another mailbox.
   * @param {number} slot @param {number} word int32 @param {number} sequence uint32
   */
  put(slot, word, sequence) {
    Atomics.store(this.words, slot * 2 + 1, word);
    Atomics.store(this.words, slot * 2, sequence | 0);
  }

  /** @param {number} slot @returns {number} the newest word */
  read(slot) {
    return Atomics.load(this.words, slot * 2 + 1);
  }

  /**
   * Reads a slot's sequence number. A word that is read afterwards is at least as new.
   * @param {number} slot @returns {number} uint32
   */
  sequence(slot) {
    return Atomics.load(this.words, slot * 2) >>> 0;
  }
}
