/**
 * Inputs of the players on their way to the worker: per slot an int32 sequence number and an int32
 * word. The writer counts the sequence number up after it has stored the word.
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
   * Writes a word unless the slot has changed since it was read.
   * @param {number} slot @param {number} old the word that read() returned @param {number} word
   * @returns {number} the input's sequence number, uint32; -1 when the slot holds another word by now
   */
  replace(slot, old, word) {
    if (Atomics.compareExchange(this.words, slot * 2 + 1, old, word) !== old) return -1;
    return (Atomics.add(this.words, slot * 2, 1) + 1) >>> 0;
  }

  /** @param {number} slot @returns {number} the newest word */
  read(slot) {
    return Atomics.load(this.words, slot * 2 + 1);
  }

  /**
   * Reads a slot's sequence number. When it is read before the word, the word is at least as new.
   * @param {number} slot @returns {number} uint32
   */
  sequence(slot) {
    return Atomics.load(this.words, slot * 2) >>> 0;
  }
}
