import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_OWNER } from '../../app/game/frame.js';
import { frameLimitsOf } from '../../app/game/frame-reader.js';
import { EFFECTS, LOOKS, SOUNDS } from '../../app/game/vocabulary.js';
import { EFFECTS as DRAWN_EFFECTS } from '../../app/web/lib/effects.js';
import { LOOKS as DRAWN_LOOKS } from '../../app/web/lib/looks.js';
import { SOUNDS as PLAYED_SOUNDS } from '../../app/web/lib/sound.js';
import { TEAMS, start, tinyGame } from './tiny-game.js';

const view = { width: 1600, height: 900, background: '#000000', kinds: [], events: [], extra: [] };
const kind = { name: 'ball', look: 'ball', color: 'owner' };
const event = { name: 'hit', effect: 'flash', sound: 'pop', rumbleMs: 0 };
const texts = { title: 'A', tagline: 'B', rules: [], controls: {} };
const ball = { shape: 1, kind: 0, x: 0, y: 0, radius: 1 };
const inView = (/** @type {object} */ fields) => ({ view: { ...view, ...fields } });
const withKind = (/** @type {object} */ fields) => inView({ kinds: [{ ...kind, ...fields }] });
const withEvent = (/** @type {object} */ fields) => inView({ events: [{ ...event, ...fields }] });
const [reds, blues] = TEAMS;
const withBlues = (/** @type {object} */ fields) => ({ teams: [reds, { ...blues, ...fields }] });
const withBalls = (/** @type {object} */ balls) => ({ options: { balls } });
const option = { default: 0, min: 0, max: 5 };
const manyOptions = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`o${i}`, option]));

/** Wrong fields, and what the sentence about each contains. @type {[object, RegExp][]} */
const WRONG = [
  [{ id: 'Not/Plain' }, /defineGame\(\): id must be a plain name .*, not "Not\/Plain"\.$/],
  [{ title: '' }, /^tiny: title must be a text of 1 to 70 characters, .*, not ""\.$/],
  [{ title: 'a\u001b[31m' }, /title must be .* control, .*, not "a\\u001b\[31m"\.$/],
  [{ tagline: 'two\nlines' }, /tagline must be a text of .* control,/],
  [{ rules: ['\u202eevil'] }, /rules must be .* direction .*, not \["\\u202eevil"\]\.$/],
  [{ controls: { a: 'Ju\u200bmp' } }, /controls\.a must be .* invisible/],
  [inView({ extra: ['\u2066'] }), /view\.extra must be .* direction/],
  [inView({ round: '\u009b' }), /view\.round must be .* control/],
  [withKind({ name: '\u2028' }), /kinds\[0\]\.name must be/],
  [withEvent({ name: '\ufeff' }), /events\[0\]\.name must be/],
  [{ teams: [{ name: '\u200f' }, { name: 'B' }] }, /teams\[0\]\.name must be .* direction/],
  [{ records: [{ name: 'A', of: 'luck' }] }, /records\[0\]\.of must be one of score, /],
  [{ records: [{ name: 'A', of: 'time', from: 'no' }] }, /\.from must be a name in view\.events\./],
  [{ translations: { ko: { ...texts, title: '\u061c' } } }, /translations\.ko\.title must be/],
  [{ 'ti\u202etle': 1 }, /there is no field ti\\u202etle\./],
  [{ rules: 'none' }, /rules must be an array/],
  [{ rules: ['a'.repeat(71)] }, /rules must be an array of 0 to 4 elements, each a text/],
  [{ setupRound() {} }, /no field setupRound\. Is it setUpRound\?$/],
  [{ stear() {} }, /no field stear\. Is it steer\?$/],
  [{ beginPlays() {} }, /no field beginPlays\. Is it beginPlay\?$/],
  [{ tickHz: 30 }, /no field tickHz\. Fields: id, title,/],
  [{ settle: undefined }, /settle must be an ordinary function \(.*\), not undefined/],
  [{ steer: async () => {} }, /^tiny: steer must be .* promise\), not an async function\.$/],
  [{ async setUpRound() {} }, /setUpRound must be .*, not an async function\.$/],
  [{ *decorate() {} }, /decorate must be .*, not a generator\.$/],
  [{ players: undefined }, /players must be an object, not undefined/],
  [{ players: { min: 1, max: 9 } }, /players\.max must be a whole number from 0 to 8, not 9/],
  [{ players: { min: 3, max: 2 } }, /players\.min must not exceed players\.max/],
  [{ players: { min: 1, max: 2, most: 2 } }, /no field players\.most\. Fields: min, max\./],
  [{ controls: { stick: '', c: 'Jump' } }, /no field controls\.c\. .*controls/],
  [{ controls: { a: 5 } }, /controls\.a must be a text/],
  [inView({ width: 4000 }), /view\.width must be a number from 1 to 2047/],
  [inView({ background: 'blue' }), /view\.background must be a colour as #rrggbb/],
  [inView({ kinds: [kind, { ...kind, look: 'bal' }] }), /kinds\[1\]\.look must be one of ball,/],
  [withKind({ color: '#fff' }), /view\.kinds\[0\]\.color must be 'owner' or/],
  [withEvent({ effect: 'bang' }), /events\[0\]\.effect must be one of burst,/],
  [withEvent({ sound: 'moo' }), /events\[0\]\.sound must be one of hit,/],
  [withEvent({ rumbleMs: 9000 }), /rumbleMs must be a number from 0 to 500/],
  [inView({ extra: ['a', 'b', 'c', 'd', 'e'] }), /view\.extra must be an array of 0 to 4/],
  [withBalls({ default: 9, min: 0, max: 5 }), /options\.balls\.default must be from/],
  [{ options: { seed: option } }, /options\.seed has a name/],
  [withBalls({ default: 0.5, min: 0, max: 5 }), /options\.balls\.default must be a whole/],
  [{ options: manyOptions }, /^tiny: options must be an object of at most 32 values, whose names/],
  [{ options: { ['x'.repeat(41)]: option } }, /^tiny: options must be an object of at most 32/],
  [{ seconds: { ready: 1, roundOver: 1 } }, /seconds\.matchOver must be a number from 0 to 600/],
  [{ border: 'walls' }, /border must be one of none, bounce/],
  [{ decor: 65535 }, /decor must be a whole number from 0 to 65534/],
  [{ teams: 2 }, /^tiny: teams must be an array of 2 to 4 elements, each an object, not 2\.$/],
  [{ teams: [reds] }, /teams must be an array of 2 to 4 elements/],
  [{ teams: [reds, null] }, /teams\[1\] must be an object, not null/],
  [withBlues({ colour: 'blue' }), /no field teams\[1\]\.colour/],
  [{ teams: [{ ...reds, name: 'The invincible reds' }, blues] }, /teams\[0\]\.name must be a text/],
  [withBlues({ color: 'navy' }), /teams\[1\]\.color must be one of red, blue,/],
  [withBlues({ name: 'Reds' }), /teams\[1\]\.name must not be the name of/],
  [withBlues({ color: 'orange' }), /teams\[1\]\.color is too much like teams\[0\]/],
  [withBlues({ color: '#202040' }), /contrast of at least 3 to view\.background, not 1\.\d\.$/],
  [{ teams: TEAMS, view: { ...view, background: '#ffffff' } }, /teams\[1\]\.color .* a contrast/],
  [{ teams: TEAMS, players: { min: 1, max: 1 } }, /players\.max must be at least .* teams, 2\.$/],
  [
    { translations: { ko: { ...texts, teams: ['가', '나'] } } },
    /ko\.teams must have a name for each/,
  ],
];

for (const [parts, sentence] of WRONG) {
  test(`a wrong field is named: ${sentence.source}`, () => {
    assert.throws(() => tinyGame(parts), { code: 'PITV_GAME_INVALID', message: sentence });
  });
}

test('a game without buttons, and with texts in another language, is valid', () => {
  const controls = { stick: 'Move' };
  const parts = /** @type {any} */ ({ controls, translations: { ko: texts } });
  assert.deepEqual(tinyGame(parts).controls, controls);
  assert.equal(tinyGame({ view: { ...view, round: '' } }).view.round, '');
});

test('the sizes that a game computes are checked', () => {
  const worldOf = (/** @type {object} */ size) => ({ world: () => size });
  /** @type {[object, RegExp][]} */
  const wrong = [
    [worldOf({ capacity: 0 }), /world\(\)\.capacity must be a whole number from 1 to 65534/],
    [{ world: () => undefined }, /^tiny: world\(\) must be an object, not undefined/],
    [worldOf({ capacity: 9, cellSize: -1 }), /world\(\)\.cellSize must be a number from 0/],
    [worldOf({ capacity: 9, maxContact: 5 }), /no field world.*Is it world\(\)\.maxContacts\?/],
    [{ state: () => ({ a: 1 << 20, b: 1 }) }, /words of the state must be .* to 1048576, not 1048/],
    [{ ...worldOf({ capacity: 65534 }), decor: 1 }, /from 1 to 65533, not 65534/],
    [{ state: () => ({ lives: -1 }) }, /state\(\)\.lives must be a whole number from 0/],
  ];
  for (const [parts, message] of wrong) {
    assert.throws(() => tinyGame(parts).sizes(), { code: 'PITV_GAME_INVALID', message });
    assert.throws(() => tinyGame(parts).start(), { code: 'PITV_GAME_INVALID', message });
  }
});

test('the names of looks, effects and sounds are those that the pages know', () => {
  assert.deepEqual([...LOOKS], Object.keys(DRAWN_LOOKS));
  const kinds = LOOKS.map((look) => ({ look }));
  const { lines } = frameLimitsOf({ players: { max: 0 }, view: { kinds, events: [] } });
  const drawn = Object.values(DRAWN_LOOKS).map(({ shape }) => shape === 'line');
  assert.deepEqual(lines, drawn);
  assert.deepEqual([...EFFECTS], Object.keys(DRAWN_EFFECTS));
  assert.deepEqual([...SOUNDS], Object.keys(PLAYED_SOUNDS));
});

test('decorations are drawn under the bodies, each call with the defaults of the writer', () => {
  const kinds = [kind, { ...kind, name: 'line', look: 'wall' }];
  const { step, frame } = start(
    {
      view: { ...view, kinds },
      decor: 4,
      /** @param {unknown} _ @param {import('../../app/game/decor-writer.js').DecorWriter} writer */
      decorate(_, writer) {
        writer.box(3, 10, 20, 30, 40);
        writer.kind = 1;
        writer.owner = 1;
        writer.angle = 64;
        writer.state = 8;
        writer.segment(0, 100, 200, 70, 210);
        writer.circle(1, 5, 6, 7);
      },
    },
    { balls: 2 },
  );
  for (const ticks of [1, 1]) {
    step(ticks);
    const { bodies } = frame();
    const rows = Array.from({ length: bodies.count }, (_, i) =>
      ['id', 'x', 'y', 'a', 'b', 'kind', 'owner', 'angle', 'state'].map(
        (name) => Reflect.get(bodies, name)[i],
      ),
    );
    const first = rows[0][0] - 3;
    assert.deepEqual(rows.slice(0, 3), [
      [first + 3, 10, 20, 30, 40, 0, 255, 0, 0],
      [first, 100, 200, -30, 10, 1, 1, 64, 8],
      [first + 1, 5, 6, 7, 0, 1, 1, 64, 8],
    ]);
    assert.ok(rows.slice(3).every(([id]) => id < first));
    assert.equal(rows.length, 5);
  }
});

test('each sort of bad value is reported once, with its tick', () => {
  const parts = {
    view: { ...view, kinds: [kind], events: [event] },
    decor: 1,
    /** @param {unknown} _ @param {import('../../app/game/decor-writer.js').DecorWriter} writer */
    decorate(_, writer) {
      for (const index of [0, 1, 2, -1]) writer.circle(index, 5, 5, 5);
    },
  };
  const { job, step, frame } = start(parts, { balls: 3 });
  const { world } = job.flow;
  step(4);
  assert.equal(frame().bodies.count, 4, 'one of four decorations is drawn');
  assert.match(String(job.takeWarning()), /^tiny, tick 4: decoration 1\. There are more bodies/);
  assert.equal(job.takeWarning(), undefined);
  world.x[1] = NaN;
  world.kind[2] = 1;
  world.owner[0] = 3;
  job.flow.event(0, 3, 5, 5);
  for (let i = 0; i < 3; i++) world.add(ball);
  step(2);
  const { bodies, events } = frame();
  assert.equal(bodies.count, 7);
  assert.equal(events[0].owner, NO_OWNER);
  for (const sentence of [
    /^tiny, tick 6: body 1 at NaN, 450 .*\. A position/,
    /^tiny, tick 6: body 2 of kind 1\. A kind must be/,
    /^tiny, tick 6: body 0 of owner 3\. An owner must be/,
    /^tiny, tick 6: owner 3\. An event needs .* a slot or/,
    /^undefined$/,
  ]) {
    assert.match(String(job.takeWarning()), sentence);
  }
  step();
  frame();
  assert.equal(job.takeWarning(), undefined);
});
