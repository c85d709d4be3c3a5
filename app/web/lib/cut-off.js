import { byId, setText } from './dom.js';
import { text as textOf } from './language.js';

/**
 * Shows whether the TV is cut off from most TVs of its fleet.
 * @param {'pause' | 'continue' | undefined} partition what its matches do then; undefined: it is not
 */
export function showCutOff(partition) {
  const box = byId('cut-off');
  box.hidden = partition === undefined;
  if (partition === undefined) return;
  setText(box, textOf(partition === 'continue' ? 'cutOff.continue' : 'cutOff.pause'));
}
