import assert from 'node:assert/strict';
import test from 'node:test';
import { ABSENT, unpackInput, withGeneration } from '../../app/game/input.js';
import { Players } from '../../app/lobby/players.js';
import { PLAYER_COLORS } from '../../app/match/player-colors.js';
import { Seats } from '../../app/match/seats.js';
import { start as startTiny } from '../game/tiny-game.js';

/** @param {number} count @param {import('../../app/match/seats.js').InputSink} [inputSink] */
function setUp(count, inputSink) {
  /** @type {number[]} words of the game, by slot */
  const words = new Array(count).fill(ABSENT);
  let sequence = 0;
  const writeInput = (/** @type {number} */ slot, /** @type {number} */ word) => {
    words[slot] = word;
    return ++sequence;
  };
  const mailbox = {
    readInput: (/** @type {number} */ slot) => words[slot],
    writeInput,
    /** @param {number} slot @param {number} old @param {number} word */
    replaceInput: (slot, old, word) => (words[slot] === old ? writeInput(slot, word) : -1),
  };
  const players = new Players();
  const binding = /** @type {any} */ ({ inputSink });
  const seats = new Seats(count, /** @type {any} */ ({ mailbox }), 15, binding);
  return { seats, mailbox, words, players };
}

/** Makes one seat, and a player who sits there. */
function setUpPlayer() {
  const made = setUp(1);
  const { player } = made.players.add('');
  made.seats.sit(player);
  return { ...made, player };
}
const NEUTRAL = { x: 0, y: 0, buttons: 0, pressesA: 0, pressesB: 0, present: true };

test('a player gets the seat of their colour, or the first free one', () => {
  const { seats, players } = setUp(3);
  const [red, blue, yellow, green] = Array.from({ length: 4 }, () => players.add('').player);
  assert.equal(yellow.color, PLAYER_COLORS[2]);
  assert.equal(seats.sit(yellow), 2);
  assert.equal(seats.sit(green), 0, 'there is no slot 3');
  assert.equal(seats.sit(red), 1, 'slot 0 is taken');
  assert.throws(() => seats.sit(blue), { code: 'PITV_MATCH_FULL' });
  seats.leave(red);
  assert.equal(seats.sit(blue), 1);
  assert.equal(seats.slotOf(red), -1);
  assert.equal(seats.playerAt(1), blue);
  seats.close();
});

test('a player whose colour somebody in the match has gets another one', () => {
  const { seats, players } = setUp(3);
  const [first, second, other] = Array.from({ length: 3 }, () => players.add('').player);
  const [own, free] = PLAYER_COLORS;
  for (const player of [first, second]) player.color = own;
  seats.sit(first);
  seats.sit(second);
  assert.deepEqual([first.color, second.color], [own, free]);
  seats.sit(other);
  assert.equal(other.color, PLAYER_COLORS[2], 'nobody in the match has it');
  seats.close();
});

test('a player is present with neutral input after sit(), and absent after leave()', () => {
  const { seats, players, words } = setUp(2);
  const { player } = players.add('');
  seats.sit(player);
  assert.deepEqual(unpackInput(words[0]), NEUTRAL);
  assert.ok(seats.leave(player));
  assert.equal(words[0], ABSENT);
  assert.ok(!seats.leave(player));
});

test('who gets a seat within the tick in which it becomes free has pressed nothing yet', () => {
  const { seats, players, words } = setUpPlayer();
  const { job } = startTiny();
  const play = () => {
    job.step(
      (slot) => words[slot] ?? ABSENT,
      () => 0,
    );
    return [job.flow.tapsA[0], job.flow.tapsB[0]];
  };
  seats.input(0, 0, 0, 0, 5, 3);
  play();
  seats.input(0, 0, 0, 0, 1, 0);
  assert.deepEqual(play(), [1, 0]);
  seats.leave(players.all[0]);
  seats.sit(players.add('').player);
  assert.deepEqual(play(), [0, 0]);
  seats.input(0, 0, 0, 0, 0, 2);
  assert.deepEqual(play(), [0, 2]);
});

test('presses are added to the count of the slot', () => {
  const { seats, players, words } = setUp(2);
  seats.sit(players.add('').player);
  assert.equal(seats.input(0, 127, -127, 1, 3, 0), 2, 'the sequence number is returned');
  seats.input(0, 0, 0, 0, 15, 2);
  const { pressesA, pressesB } = unpackInput(words[0]);
  assert.deepEqual([pressesA, pressesB], [2, 2]); // 18 modulo 16
  assert.equal(seats.input(1, 0, 0, 0, 0, 0), 0, 'the seat is free');
  assert.equal(words[1], ABSENT);
});

test('a disconnected player has neutral input at once, is absent later, and present after the return', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { seats, words, player } = setUpPlayer();
  seats.input(0, 100, 100, 3, 1, 1);
  seats.disconnect(player);
  assert.deepEqual(unpackInput(words[0]), { ...NEUTRAL, pressesA: 1, pressesB: 1 });
  seats.resetInput(player);
  t.mock.timers.tick(seats.absentAfterMs);
  assert.ok(unpackInput(words[0]).present, 'the return was in time');
  seats.disconnect(player);
  t.mock.timers.tick(seats.absentAfterMs);
  assert.ok(!unpackInput(words[0]).present);
  seats.resetInput(player);
  assert.ok(unpackInput(words[0]).present);
});

test('presses that a receiver counts in the word are kept, even during a write', () => {
  const { seats, mailbox, words, player } = setUpPlayer();
  seats.input(0, 5, 6, 1, 2, 3);
  const { pressesA, pressesB } = unpackInput(words[0]);
  assert.deepEqual([pressesA, pressesB], [2, 3]);
  words[0] += 1 << 18; // a receiver saw A pressed once more
  const { replaceInput } = mailbox;
  let interrupted = false;
  mailbox.replaceInput = (slot, old, word) => {
    if (!interrupted) words[slot] += 1 << 22; // and B, just now
    interrupted = true;
    return replaceInput(slot, old, word);
  };
  seats.resetInput(player);
  assert.deepEqual(unpackInput(words[0]), { ...NEUTRAL, pressesA: 3, pressesB: 4 });
  mailbox.replaceInput = () => -1; // it changes all the time, and is still written
  assert.ok(seats.input(0, 7, 0, 0, 0, 0) > 0);
  assert.equal(unpackInput(words[0]).x * 127, 7);
});

test('an input sink is notified before a seat changes hands', () => {
  /** @type {string[]} */
  const told = [];
  const generations = new Set();
  const { seats, words, players } = setUp(1, {
    bind(player, { slot, generation }) {
      assert.equal(words[slot] & withGeneration(0, 15), withGeneration(0, generation));
      generations.add(generation);
      told.push(`${player.name} in`);
    },
    unbind(player) {
      assert.ok(unpackInput(words[0]).present, 'the word still belongs to the player');
      told.push(`${player.name} out`);
    },
  });
  const [ann, ben] = [players.add('Ann').player, players.add('Ben').player];
  seats.sit(ann);
  seats.leave(ann);
  seats.sit(ben);
  seats.resetInput(ben);
  seats.close();
  assert.deepEqual(told, ['Ann in', 'Ann out', 'Ben in', 'Ben in', 'Ben out']);
  assert.equal(generations.size, 3);
});

test('the presses of a seat are those of its word, or those before there is one', () => {
  const { seats, words, players } = setUp(3);
  const { player } = players.add('Ann');
  assert.equal(seats.sit(player, 2, [3, 4]), 2);
  assert.deepEqual(seats.pressesAt(2), [3, 4]);
  assert.equal(unpackInput(words[2]).pressesB, 4);
  seats.input(2, 0, 0, 0, 1, 0);
  seats.worker = { mailbox: undefined };
  assert.deepEqual([...seats.pressesAt(2), ...seats.pressesAt(1)], [4, 4, 0, 0]);
  seats.setPresses(2, [5, 6]);
  seats.setPresses(1, [5, 6]);
  assert.deepEqual([...seats.pressesAt(2), ...seats.pressesAt(1)], [5, 6, 0, 0]);
  assert.equal(seats.input(2, 0, 0, 0, 1, 0), 0, 'there is no game');
  assert.deepEqual(seats.pressesAt(2), [6, 6]);
  const { color } = player;
  assert.deepEqual(seats.roster, [
    { slot: 0, name: null, color: null },
    { slot: 1, name: null, color: null },
    { slot: 2, name: 'Ann', color },
  ]);
  const { player: other } = players.add('Ben');
  seats.resetInput(other);
  seats.disconnect(other);
  assert.deepEqual([seats.slotOf(other), seats.open, seats.players], [-1, true, [player]]);
  for (const wanted of [-1, 3]) {
    assert.equal(seats.sit(other, wanted), 0, 'there is no such slot');
    seats.leave(other);
  }
});

test('a player who was disconnected when a worker begins is absent soon', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { seats, words, player } = setUpPlayer();
  player.connected = false;
  words.fill(ABSENT);
  seats.publishAll();
  assert.ok(unpackInput(words[0]).present);
  t.mock.timers.tick(seats.absentAfterMs);
  assert.equal(words[0], ABSENT);
  seats.publishAll();
  seats.leave(player);
  words[0] = 5;
  t.mock.timers.tick(seats.absentAfterMs);
  assert.equal(words[0], 5, 'the seat may be that of somebody else');
});
