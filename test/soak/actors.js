/** The visitors of a TV in a soak: phones, screens, scripts, and a killer of workers. */
import { setTimeout as delay } from 'node:timers/promises';
import { readReplay } from '../../app/game/replay-file.js';
import { MATCH_LIMITS } from '../../app/match/timers.js';
import { Client } from '../../bench/harness/client.js';

const PHONE_GAMES = ['bumper', 'swarm'];
const ALL_GAMES = [...PHONE_GAMES, 'collide'];
const PATHS = ['/', '/p', '/admin', '/metrics', '/healthz', '/api/games', '/api/matches'];

/**
 * @typedef {object} Stage
 * @property {import('../support/tv-under-test.js').TvUnderTest} serve
 * @property {(n: number) => number} random 0..n-1
 * @property {AbortSignal} signal makes the visitors leave
 * @property {Record<string, number>} counts events by name
 */

/** @param {Stage} stage @param {string} what @param {number} [times] */
const count = ({ counts }, what, times = 1) => (counts[what] = (counts[what] ?? 0) + times);

/** @param {Stage} stage @param {number} from @param {number} to s */
const pause = ({ random, signal }, from, to) =>
  delay(1000 * from + random(1000 * (to - from)), undefined, { signal });

/**
 * Sends a request, and counts errors of the TV.
 * @param {Stage} stage @param {string} path @param {{method?: string, body?: object, token?: string}} [options]
 */
async function ask(stage, path, options) {
  const response = await stage.serve.ask(path, options);
  const text = await response.text();
  const { status } = response;
  if (status >= 500 && status !== 503) count(stage, `status ${status}`);
  return { status, body: text };
}

/** Joins, plays, reloads the page or loses the network, and leaves. */
async function phone(/** @type {Stage} */ stage, /** @type {number} */ number) {
  const { serve, random, signal } = stage;
  await pause(stage, 0, 3);
  const hello = { t: 'hello', role: 'pad', code: serve.code, name: `Phone ${number}` };
  let token;
  for (let visit = 0, visits = 1 + random(3); visit < visits; visit++) {
    const client = await new Client({ ...hello, token }).join(serve);
    ({ token } = client.messages.find(({ t }) => t === 'welcome'));
    count(stage, visit === 0 ? 'phones came' : 'phones came back');
    const timer = client.push(number);
    try {
      const [match] = await stage.serve.matches();
      if (match && random(2) > 0) client.send({ t: 'join', match: match.id });
      else client.send({ t: 'start', game: PHONE_GAMES[random(PHONE_GAMES.length)] });
      await pause(stage, 2, 12);
      if (random(3) === 0) client.send({ t: 'stop' });
    } finally {
      clearInterval(timer);
      const matches = client.messages.filter(({ t }) => t === 'match');
      count(stage, 'phones in a match', matches.length);
      const last = visit === visits - 1 || signal.aborted;
      if (last) client.send({ t: 'leave' });
      if (random(2) > 0 || last) client.socket.close();
      else client.vanish();
    }
  }
}

/** Watches or starts matches, and leaves. */
async function screen(/** @type {Stage} */ stage) {
  const { serve, random } = stage;
  await pause(stage, 0, 3);
  const client = await new Client({ t: 'hello', role: 'screen', code: serve.code }).join(serve);
  count(stage, 'screens came');
  try {
    for (let looks = random(4); looks >= 0; looks--) {
      const matches = await stage.serve.matches();
      const match = matches[random(matches.length)]?.id;
      client.send(match ? { t: 'watch', match } : { t: 'start', game: 'collide' });
      await pause(stage, 2, 6);
    }
  } finally {
    count(stage, 'frames', client.frames);
    if (random(2) > 0) client.socket.close();
    else client.vanish();
  }
}

/** Starts a match over HTTP and stops it. */
async function script(/** @type {Stage} */ stage) {
  const { serve, random } = stage;
  await pause(stage, 0, 4);
  const game = ALL_GAMES[random(ALL_GAMES.length)];
  const body = { game, code: serve.code };
  const answer = await ask(stage, '/api/matches', { method: 'POST', token: '', body });
  if (answer.status !== 201) {
    count(stage, 'matches refused');
    return;
  }
  count(stage, `matches of ${game}`);
  const { id, token } = JSON.parse(answer.body);
  try {
    await pause(stage, 3, 15);
  } finally {
    await ask(stage, `/api/matches/${id}`, { method: 'DELETE', token });
  }
}

/** Requests any page. */
async function scraper(/** @type {Stage} */ stage) {
  await pause(stage, 0.5, 2);
  await ask(stage, PATHS[stage.random(PATHS.length)], { token: '' });
  count(stage, 'requests');
}

/** Fetches the replay of a match, and reads it. */
async function replayer(/** @type {Stage} */ stage) {
  await pause(stage, 5, 10);
  const [match] = await stage.serve.matches();
  if (!match) return;
  const { serve, signal } = stage;
  const answer = await fetch(`${serve.url}/api/matches/${match.id}/replay`, { signal });
  const bytes = await answer.arrayBuffer();
  if (answer.status === 200) readReplay(bytes);
  count(stage, answer.status === 200 ? 'replays' : 'replays refused');
}

/** When workers were killed or stopped, ms, by match. @type {Map<number, number[]>} */
const kills = new Map();

/** A worker that is stopped counts as failed only when the TV has noticed. */
const NOTICED_MS = 5000;

/** Tells whether a match may lose its worker: one more failure within the time would end it. @param {number} match */
function survivesKill(match) {
  const { failures, failuresMs } = MATCH_LIMITS;
  const recent = (kills.get(match) ?? []).filter(
    (at) => performance.now() - at < failuresMs + NOTICED_MS,
  );
  kills.set(match, recent);
  return recent.length < failures - 1;
}

/** Kills or stops a worker, or sometimes kills the zygote. The first of all is a worker that is killed. */
async function killer(/** @type {Stage} */ stage) {
  const { serve, random } = stage;
  const first = !stage.counts['workers killed'];
  await (first ? pause(stage, 1, 2) : pause(stage, 3, 9));
  if (!first && random(8) === 0 && serve.owns(serve.zygotePid)) {
    serve.signal(serve.zygotePid, 'SIGKILL');
    count(stage, 'zygotes killed');
    return;
  }
  const workers = [...serve.workers].filter(
    ([match, pid]) => pid !== serve.pid && serve.owns(pid) && survivesKill(match),
  );
  if (workers.length === 0) return;
  const [match, pid] = workers[random(workers.length)];
  const signal = !first && random(4) === 0 ? 'SIGSTOP' : 'SIGKILL';
  serve.signal(pid, signal);
  kills.get(match)?.push(performance.now());
  count(stage, signal === 'SIGKILL' ? 'workers killed' : 'workers stopped');
}

/**
 * Runs all visitors until the signal. Resolves when they have left and all matches are stopped.
 * @param {Stage} stage
 */
export async function visit(stage) {
  const { signal } = stage;
  const roles = [phone, phone, phone, phone, screen, screen, screen, script, script];
  await Promise.all(
    [...roles, scraper, replayer, killer].map(async (role, number) => {
      while (!signal.aborted) {
        try {
          await role(stage, number);
        } catch (error) {
          if (signal.aborted) break;
          count(stage, `refused: ${/** @type {Error} */ (error).message}`);
          await delay(500);
        }
      }
    }),
  );
  for (const { id } of await stage.serve.matches().catch(() => [])) {
    await ask(stage, `/api/matches/${id}`, { method: 'DELETE' });
  }
}
