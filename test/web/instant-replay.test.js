/** The replay after a round. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { PHASE } from '../../app/game/frame.js';
import { InstantReplay } from '../../app/web/screen/instant-replay.js';
import { Stage } from '../../app/web/screen/stage.js';

/** @param {number} tick @param {number} phase @param {number} [seconds] left in the phase */
const frame = (tick, phase, seconds = 0) =>
  /** @type {any} */ ({ tick, phase, seconds, bytes: new Uint8Array(16) });

/**
 * Plays 10 s, then a pause of 4 s and a countdown.
 * @param {InstantReplay} replay @returns {{tick: number, phase: number, shown: number | null}[]} shown: the tick, null
 *   for the match
 */
function play(replay) {
  const pictures = [];
  for (let tick = 1; tick <= 600 + 240 + 60; tick++) {
    const phase = tick <= 600 ? PHASE.play : tick <= 840 ? PHASE.roundOver : PHASE.ready;
    const live = frame(tick, phase, phase === PHASE.roundOver ? (840 - tick) / 60 : 3);
    replay.push(live);
    replay.update(live, 1000 / 60);
    pictures.push({ tick, phase, shown: replay.track ? replay.tick : null });
  }
  return pictures;
}

test('the end of a round is shown once more in the pause only, once, and not until the countdown', () => {
  const again = play(new InstantReplay()).filter(({ shown }) => shown !== null);
  assert.ok(again.every(({ phase }) => phase === PHASE.roundOver));
  assert.ok(again.length >= 120 && again.length < 240, `${again.length} pictures`);
  assert.equal(again[again.length - 1].tick - again[0].tick, again.length - 1, 'one replay');
  assert.ok(again[again.length - 1].tick < 840);
  assert.ok(Number(again[0].shown) < 600 && Number(again[again.length - 1].shown) > 600);
});

test('it can be turned off', (t) => {
  InstantReplay.toggle();
  t.after(() => InstantReplay.toggle());
  assert.ok(play(new InstantReplay()).every(({ shown }) => shown === null));
});

test('a pause that is too short has none', () => {
  const replay = new InstantReplay();
  for (let tick = 1; tick <= 700; tick++) {
    const live = frame(tick, tick <= 600 ? PHASE.play : PHASE.roundOver, 1);
    replay.push(live);
    replay.update(live, 16);
    assert.equal(replay.track, null);
  }
});

test('the mark of a replay goes with its match', (t) => {
  const element = () => ({ hidden: false, classList: { toggle() {} } });
  /** @type {Record<string, any>} */
  const elements = {};
  const page = {
    document: {},
    matchMedia: () => ({}),
    cancelAnimationFrame() {},
    ResizeObserver: class {
      observe() {}
    },
  };
  Object.assign(globalThis, page);
  t.after(() => Object.keys(page).forEach((name) => Reflect.deleteProperty(globalThis, name)));
  const stage = new Stage(/** @type {any} */ ({}), (id) => (elements[id] ??= element()));
  stage.replay.track = /** @type {any} */ ({});
  stage.hide();
  assert.equal(elements['replay-mark'].hidden, true);
});
