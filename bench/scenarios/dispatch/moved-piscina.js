/** The task of the dispatch scenario for piscina: moves its payload back. */
import { move } from 'piscina';

/** @param {any} payload */
export default function moved(payload) {
  return move(payload);
}
