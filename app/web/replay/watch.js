import { toast } from '../lib/toast.js';

/**
 * Plays the last seconds of a match over the page. The player is loaded when it is needed.
 * @param {import('../lib/types.js').MatchId} match
 * @param {() => void} [onClose]
 * @returns {Promise<import('./player.js').ReplayPlayer | null>} null after an error, which is shown
 */
export async function watchReplay(match, onClose) {
  const { ReplayPlayer, loadReplay, replayProblem } = await import('./player.js');
  try {
    return new ReplayPlayer(await loadReplay(match), { onClose });
  } catch (error) {
    toast(replayProblem(error), 'error');
    return null;
  }
}
