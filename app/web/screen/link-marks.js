import { describeLink } from '../lib/connection.js';
import { byId, setText } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';

/**
 * Draws the marks of the connection in the lobby and on the stage.
 * @param {Pick<import('../lib/connection.js').Connection, 'shownState' | 'rttMs'>} connection
 * @param {number} fps pictures a second of the stage, 0 if it is not known
 * @returns {string} the level of the connection
 */
export function drawLinkMarks({ shownState, rttMs }, fps) {
  const { level, text } = describeLink(shownState, rttMs);
  for (const id of ['lobby-link', 'stage-link']) {
    const mark = byId(id);
    mark.setAttribute('data-level', level);
    const shown = id === 'stage-link' && fps && level !== 'lost';
    const label = mark.lastElementChild;
    if (label) setText(label, text + (shown ? ` · ${textOf('link.fps', { fps })}` : ''));
  }
  return level;
}
