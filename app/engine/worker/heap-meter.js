/** Measures how much memory of the heap a tick allocates. Nothing of a tick is needed afterwards, so it is garbage. */
import { getHeapStatistics } from 'node:v8';

const CALIBRATIONS = 8;

export class HeapMeter {
  #began = 0;
  /** What a measurement itself allocates, bytes. */
  #own = 0;

  constructor() {
    let least = Infinity;
    for (let i = 0; i < CALIBRATIONS; i++) {
      this.begin();
      const bytes = this.end();
      if (bytes >= 0) least = Math.min(least, bytes);
    }
    if (least < Infinity) this.#own = least;
  }

  begin() {
    this.#began = getHeapStatistics().used_heap_size;
  }

  /** @returns {number} bytes since begin(), -1 if a garbage collection happened meanwhile */
  end() {
    const bytes = getHeapStatistics().used_heap_size - this.#began;
    return bytes < 0 ? -1 : Math.max(0, bytes - this.#own);
  }
}
