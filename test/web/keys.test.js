import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyLetter, registerRemoteKeys, remoteKey } from '../../app/web/lib/keys.js';
import { nextMargin, parseMargin } from '../../app/web/screen/display.js';
import { findNearest } from '../../app/web/screen/remote.js';

/** @param {string} key @param {string} [code] @param {object} [more] */
function press(key, code = '', more = {}) {
  const modifiers = { ctrlKey: false, altKey: false, metaKey: false };
  return { key, code, keyCode: 0, ...modifiers, ...more };
}

test('a letter is read from the key of the layout, with an input method from its place', () => {
  for (const [key, code, letter, where] of [
    ['m', 'KeyM', 'M', 'QWERTY'],
    ['M', 'Semicolon', 'M', 'AZERTY'],
    ['7', 'Digit7', '7', 'QWERTY'],
    ['7', '', '7', 'a remote without codes'],
    ['ㅡ', 'KeyM', 'M', 'Korean'],
    ['Process', 'KeyM', 'M', 'Korean on Windows'],
    ['м', 'KeyV', 'V', 'Cyrillic'],
    ['é', 'Digit2', '2', 'AZERTY'],
    ['Unidentified', 'Numpad4', '4', 'a key without a name'],
    ['Enter', 'Enter', '', 'no letter'],
    ['Home', 'Numpad7', '', 'Num Lock is off'],
    [' ', 'Space', '', 'no letter'],
    ['ArrowLeft', 'ArrowLeft', '', 'no letter'],
  ]) {
    assert.equal(keyLetter(press(key, code)), letter, where);
  }
  assert.equal(keyLetter(press('m', 'KeyM', { ctrlKey: true })), '', 'a shortcut');
});

test('keys of remotes are known by name and by code', () => {
  const keys = /** @type {[string, number, string | undefined][]} */ ([
    ['GoBack', 461, 'back'],
    ['Unidentified', 10009, 'back'],
    ['', 404, 'green'],
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
  const registerKey = (/** @type {string} */ name) => {
    if (name === 'MediaPlay') throw new Error('InvalidValuesError');
    registered.push(name);
  };
  Object.assign(globalThis, { tizen: { tvinputdevice: { registerKey } } });
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

test('arrows move along a row and between rows, to the nearest element ahead', () => {
  const start = box(40, 300, 180, 60);
  const [left, middle, right] = [0, 240, 480].map((x) => box(x, 480, 220, 130));
  const sound = box(300, 650, 90, 30);
  const all = [start, left, middle, right, sound];
  const names = ['start', 'left', 'middle', 'right', 'sound'];
  for (const [from, direction, to] of /** @type {const} */ ([
    [left, [1, 0], 'middle'],
    [right, [-1, 0], 'middle'],
    [start, [0, 1], 'left'],
    [left, [0, -1], 'start'],
    [right, [0, -1], 'start'],
    [middle, [0, 1], 'sound'],
    [right, [1, 0], undefined],
    [sound, [0, 1], undefined],
  ])) {
    const others = all.filter((each) => each !== from);
    const found = others[findNearest(from, others, [...direction])];
    assert.equal(names[all.indexOf(found)], to);
  }
  assert.equal(findNearest(sound, [], [0, 1]), -1);
  const wide = box(0, 700, 900, 40);
  assert.equal(findNearest(left, [wide], [1, 0]), -1, 'below, although its centre is to the right');
  assert.equal(findNearest(left, [wide], [0, 1]), 0);
});
