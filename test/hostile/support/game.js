/** A TV, the people who play on it, and how fast their match goes when nobody attacks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/tv.js';
import { startLimitedTv } from './limited-tv.js';
import { Players } from './players.js';

const BASELINE_MS = 1000;
/** A zygote is warmed up for seconds after a start. Until then a draft takes its place, and memory. */
const WARM_MS = 60_000;
const PASSWORD = 'the password that attackers guess at';

/** @typedef {Awaited<ReturnType<typeof startGame>>} Game */

/**
 * Starts a TV and a match.
 * @param {string[]} flags of `pitv serve`
 */
export async function startGame(flags) {
  const tv = await startLimitedTv(flags);
  try {
    await setPassword(tv);
    const players = await Players.join(tv);
    if (flags.includes('zygote')) {
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
