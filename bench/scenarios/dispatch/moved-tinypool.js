/** The task of the dispatch scenario for tinypool: moves its payload back. */
import { Tinypool } from 'tinypool';

/** @param {any} payload */
export default function moved(payload) {
  return Tinypool.move(payload);
}
