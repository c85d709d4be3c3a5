/** A TV, its players, and the speed of their match without an attack. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/tv.js';
import { startLimitedTv } from './limited-tv.js';
import { Players } from './players.js';

const BASELINE_MS = 1000;
/** The longest time until the rehearsed zygote has replaced the draft, ms. */
const WARM_MS = 60_000;
const PASSWORD = 'the password that attackers guess at';

/** @typedef {Awaited<ReturnType<typeof startGame>>} Game */

/**
 * Starts a TV and a match.
 * @param {string} engine
 * @param {Record<string, number>} [limits] values that replace those of the TV
 */
export async function startGame(engine, limits) {
  const tv = await startLimitedTv(['--engine', engine], limits);
  try {
    await setPassword(tv);
    const players = await Players.join(tv);
    if (engine === 'zygote') {
      await until(() => isWarm(tv), 'the rehearsed zygote', WARM_MS);
    }
    return {
      tv,
      players,
      ticksPerMs: await measureTicks(players),
      async stop() {
        players.leave();
        await tv.stop();
      },
    };
  } catch (error) {
    await tv.stop();
    throw new Error(`The match did not start. The TV's log ends with:\n${tv.log().slice(-2000)}`, {
      cause: error,
    });
  }
}

/** @param {import('./limited-tv.js').LimitedTv} tv */
const isWarm = (tv) => /"draft":false[^\n]*"msg":"zygote ready"/.test(tv.log());

/** @param {import('./limited-tv.js').LimitedTv} tv */
async function setPassword(tv) {
  const response = await fetch(`${tv.url}/api/admin/password`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tv.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ password: PASSWORD }),
  });
  if (!response.ok) throw new Error(`The password could not be set: status ${response.status}.`);
}

/** @param {Players} players @returns {Promise<number>} ticks per ms */
async function measureTicks(players) {
  const start = await players.clock();
  await sleep(BASELINE_MS);
  const end = await players.clock();
  return (end.tick - start.tick) / (end.ms - start.ms);
}
