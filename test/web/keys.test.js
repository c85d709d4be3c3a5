import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyLetter, registerRemoteKeys, remoteKey } from '../../app/web/lib/keys.js';
import { nextMargin, parseMargin } from '../../app/web/screen/display.js';
import { findNearest } from '../../app/web/screen/remote.js';

/** @param {string} key @param {string} [code] @param {object} [more] */
const press = (key, code = '', more = {}) => ({
  key,
  code,
  keyCode: 0,
  ctrlKey: false,
  altKey: false,
  metaKey: false,
  ...more,
});

test('a letter is read from the key of the layout', () => {
  assert.equal(keyLetter(press('m', 'KeyM')), 'M');
  assert.equal(keyLetter(press('M', 'Semicolon')), 'M', 'AZERTY');
  assert.equal(keyLetter(press('7', 'Digit7')), '7');
  assert.equal(keyLetter(press('7')), '7', 'a remote without codes');
});

test('with an input method a letter is read from the place of the key', () => {
  assert.equal(keyLetter(press('ㅡ', 'KeyM')), 'M', 'Korean');
  assert.equal(keyLetter(press('Process', 'KeyM', { keyCode: 229 })), 'M', 'Korean on Windows');
  assert.equal(keyLetter(press('м', 'KeyV')), 'V', 'Cyrillic');
  assert.equal(keyLetter(press('é', 'Digit2')), '2', 'AZERTY');
  assert.equal(keyLetter(press('Unidentified', 'Numpad4')), '4');
});

test('other keys and shortcuts are no letters', () => {
  for (const event of [
    press('Enter', 'Enter'),
    press('Home', 'Numpad7'), // Num Lock is off
    press(' ', 'Space'),
    press('m', 'KeyM', { ctrlKey: true }),
    press('ArrowLeft', 'ArrowLeft'),
  ]) {
    assert.equal(keyLetter(event), '', event.key);
  }
});

test('keys of remotes are known by name and by code', () => {
  const keys = /** @type {[string, number, string | undefined][]} */ ([
    ['XF86Back', 10009, 'back'],
    ['Unidentified', 10009, 'back'],
    ['GoBack', 461, 'back'],
    ['', 461, 'back'],
    ['ColorF0Red', 403, 'red'],
    ['', 404, 'green'],
    ['', 405, 'yellow'],
    ['', 406, 'blue'],
    ['MediaPlayPause', 10252, 'playPause'],
    ['', 415, 'play'],
    ['', 19, 'pause'],
    ['', 413, 'stop'],
    ['', 37, 'left'],
    ['Enter', 13, undefined],
    ['5', 53, undefined],
  ]);
  for (const [key, keyCode, meaning] of keys) {
    assert.equal(remoteKey(press(key, '', { keyCode })), meaning, `${key} ${keyCode}`);
  }
});

test('a Tizen television is asked for its keys, also when it lacks one', (t) => {
  /** @type {string[]} */
  const registered = [];
  const tizen = {
    tvinputdevice: {
      /** @param {string} name */
      registerKey(name) {
        if (name === 'MediaPlay') throw new Error('InvalidValuesError');
        registered.push(name);
      },
    },
  };
  Object.assign(globalThis, { tizen });
  t.after(() => Reflect.deleteProperty(globalThis, 'tizen'));
  registerRemoteKeys();
  for (const name of ['ColorF0Red', 'ColorF3Blue', 'MediaPlayPause', 'MediaStop']) {
    assert.ok(registered.includes(name), name);
  }
});

test('a margin is 0 to 10 percent, and its button goes through some steps', () => {
  assert.equal(parseMargin('3.5'), 3.5);
  for (const wrong of [null, '', '-1', '11', 'wide']) assert.equal(parseMargin(wrong), undefined);
  assert.deepEqual([0, 2, 4, 6, 3].map(nextMargin), [2, 4, 6, 0, 4]);
});

/** @param {number} left @param {number} top @param {number} width @param {number} height */
const box = (left, top, width, height) => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});

const start = box(40, 300, 180, 60);
const cards = [box(0, 480, 220, 130), box(240, 480, 220, 130), box(480, 480, 220, 130)];
const sound = box(300, 650, 90, 30);

test('right and left move along a row', () => {
  assert.equal(findNearest(cards[0], [start, cards[1], cards[2], sound], [1, 0]), 1);
  assert.equal(findNearest(cards[2], [start, cards[0], cards[1], sound], [-1, 0]), 2);
});

test('down moves to the row below, up moves back', () => {
  assert.equal(findNearest(start, [...cards, sound], [0, 1]), 0);
  assert.equal(findNearest(cards[0], [start, cards[1], cards[2]], [0, -1]), 0);
  assert.equal(findNearest(cards[1], [start, cards[0], cards[2], sound], [0, 1]), 3);
});

test('up from the end of a row finds the only element above', () => {
  assert.equal(findNearest(cards[2], [start, cards[0], cards[1]], [0, -1]), 0);
});

test('there is no element beyond the edge', () => {
  assert.equal(findNearest(cards[2], [start, cards[0], cards[1]], [1, 0]), -1);
  assert.equal(findNearest(sound, [], [0, 1]), -1);
});

test('a wide element below is not to the right, although its centre is', () => {
  const wide = box(0, 700, 900, 40);
  assert.equal(findNearest(cards[0], [wide], [1, 0]), -1);
  assert.equal(findNearest(cards[0], [wide], [0, 1]), 0);
});
