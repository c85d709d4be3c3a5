/**
 * Changes of the code that nobody can notice, by file, with the reason. test/mutate.config.js counts them apart.
 * @type {Record<string, Record<string, string>>}
 */
export const EQUIVALENT = {
  'app/limits/client-connections.js': {
    'left > 0 => true': 'a count of 0 is the same as none',
    'left > 0 => left >= 0': 'a count of 0 is the same as none',
    '() => false => () => undefined': 'neither is true',
    'client !== undefined => true': 'nobody asks for the count of clients without a limit',
  },
  'app/match/resilient-worker.js': {
    'waitMs > 0 => true': 'it waits 0 ms',
    'waitMs > 0 => waitMs >= 0': 'it waits 0 ms',
  },
  'app/match/seats.js': {
    'this.#generations[slot]++ => this.#generations[slot]--': 'only that it changes matters',
    'this.#seats[slot]?.absentTimer => this.#seats[slot].absentTimer': 'the seat was found before',
  },
  'app/storage/match-checkpoints.js': {
    'match.saved.tick > (newest.get(id)?.saved.tick ?? -1) => match.saved.tick >= (newest.get(id)?.saved.tick ?? -1)':
      'two sides at the same tick are equal',
  },
  'app/storage/match-file.js': {
    'file.length < HEADER_BYTES => file.length <= HEADER_BYTES': 'a header alone is refused later',
  },
  'app/storage/saved-files.js': {
    'length < bytes.length => length <= bytes.length': 'a read at the end returns 0 bytes',
  },
  'app/storage/store.js': {
    'process.getuid?.() => process.getuid()': 'Linux has users',
    'uid !== 0 => true': 'a file of root is given to root',
  },
};
