import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BODY } from '../../app/game/frame.js';
import { atan256 } from '../../app/game/trig.js';
import { GOOD, passive, play, scripted } from '../../bench/scenarios/bots/play.js';
import { planRally } from '../../bench/scenarios/bots/plans.js';
import { loadBundled, startMatch } from '../support/bundled-game.js';

const HZ = 60;
const { default: game, LAPS, KIND } = await loadBundled('rally');
const { SAMPLES, HALF_WIDTH, TRACKS } = await loadBundled('rally', 'track.js');

/** Starts a race. @param {Parameters<typeof startMatch>[1]} [players] @param {number} [seed] */
function start(players, seed = 5) {
  const match = startMatch(game, players, { seed });
  match.until(() => match.flow.playing, 'the start');
  const samples = TRACKS[match.own.track[0]];
  /** Puts a car on the road. @param {number} slot @param {number} progress */
  const put = (slot, progress) => {
    const { x, y, nx, ny } = samples[(progress + SAMPLES) % SAMPLES];
    match.putPlayer(slot, x, y);
    match.own.progress[slot] = progress;
    match.own.heading[slot] = atan256(-nx, ny);
    return { x: ny, y: -nx };
  };
  return { ...match, put };
}

test('a car follows the stick, and slides when it turns', () => {
  const match = start([passive, passive, passive, passive]);
  const { world, flow, put, players, step } = match;
  const along = put(0, 40);
  players[0] = () => ({ ...along, buttons: 0 });
  step(20);
  const id = flow.body[0];
  const speed = () => world.vx[id] * along.x + world.vy[id] * along.y;
  assert.ok(speed() > 30, `${speed()}`);
  players[0] = () => ({ x: -along.y, y: along.x, buttons: 0 });
  step(8);
  assert.ok(speed() > 0, 'it still moves the old way');
});

test('a car that is far behind is faster', () => {
  const speedBehind = (/** @type {number} */ first) => {
    const match = start([passive, passive, passive, passive], 6);
    const { world, flow, put, players, step } = match;
    const along = put(0, 10);
    players[0] = () => ({ ...along, buttons: 0 });
    [first, 5, 4].forEach((progress, i) => put(i + 1, progress));
    step(3);
    const id = flow.body[0];
    return Math.hypot(world.vx[id], world.vy[id]);
  };
  assert.ok(speedBehind(60) > speedBehind(6) * 1.05);
});

test('a car that drives to and fro, or the wrong way, is placed on the road again', () => {
  for (const turnTicks of [60, Infinity]) {
    const { world, flow, job, put, players, until } = start([passive, passive, passive, passive]);
    const { x, y } = put(0, 30);
    const side = () => (Math.floor(job.tick / turnTicks) % 2 ? 1 : -1);
    players[0] = () => ({ x: x * side(), y: y * side(), buttons: 0 });
    const speed = () => Math.hypot(world.vx[flow.body[0]], world.vy[flow.body[0]]);
    for (const stands of [false, true])
      until(() => (speed() === 0) === stands, 'it drives, stands');
  }
});

test('all tracks fit on the screen, and good players finish on each of them', () => {
  const seen = new Set();
  for (let seed = 1; seen.size < TRACKS.length; seed++) {
    const race = startMatch(game, [scripted(planRally, { ...GOOD, seed })], { seed });
    const track = race.own.track[0];
    if (seen.has(track)) continue;
    seen.add(track);
    const { width, height, x, y, kind } = race.world;
    kind.forEach((each, id) => {
      if (each !== KIND.wall) return;
      assert.ok(x[id] > 0 && x[id] < width && y[id] > 0 && y[id] < height);
    });
    race.until(() => race.own.place[0] > 0, 'the finish');
    assert.ok(race.own.progress[0] >= LAPS * SAMPLES);
    assert.ok(race.job.tick > 55 * HZ && race.job.tick < 100 * HZ, `${race.job.tick / HZ} s`);
  }
});

test('a car whose player is away for a moment goes on where it was, also without a bot', () => {
  for (const people of [2, 6]) {
    const match = start(new Array(people).fill(passive));
    const last = people - 1;
    match.put(last, 90);
    match.step(2);
    match.players[last] = () => undefined;
    match.step(90);
    assert.equal(match.flow.body[last] === NO_BODY, people > 4, `${people} people`);
    match.players[last] = passive;
    match.step(2);
    assert.ok(match.own.progress[last] >= 90, `${people}: ${match.own.progress[last]}`);
  }
});

test('cars stay on the road; places and points agree', () => {
  for (const botStrength of [0, 2]) {
    const { job, scores, ticks } = play(game, {
      seed: 2,
      options: { botStrength },
      players: [passive],
      watch({ flow }) {
        if (!flow.playing) return;
        const samples = TRACKS[flow.own.track[0]];
        flow.body.forEach((id, slot) => {
          if (id === NO_BODY) return;
          const { x, y } = samples[(flow.own.progress[slot] + SAMPLES) % SAMPLES];
          const off = Math.hypot(flow.world.x[id] - x, flow.world.y[id] - y);
          assert.ok(off < 2.1 * HALF_WIDTH, `slot ${slot} is ${off} off`);
        });
      },
    });
    assert.ok(job.done && ticks < 160 * HZ);
    const { place } = job.flow.own;
    const slots = [0, 1, 2, 3].sort((p, q) => scores[q] - scores[p]);
    const places = slots.map((slot) => place[slot]).filter((each) => each > 0);
    assert.deepEqual(places, [1, 2, 3].slice(0, places.length));
    assert.equal(slots.at(-1), 0, 'who does not drive is last');
  }
});
