import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  anything,
  boolean,
  callable,
  checkOptions,
  integer,
  list,
  object,
  text,
  url,
} from '../app/options.js';

const fields = {
  count: integer(1, 9, 3),
  name: text(8),
  on: boolean(),
  action: callable(),
  about: object(),
  signal: object(AbortSignal),
  cpus: list(integer(0, 63), 1, 2),
  place: url,
  any: anything,
};

test('properties of Object.prototype are no options, those of other prototypes are', (t) => {
  Object.assign(Object.prototype, { name: 'polluted' });
  t.after(() => Reflect.deleteProperty(Object.prototype, 'name'));
  const of = (/** @type {object} */ given) => Object.entries(checkOptions('f()', fields, given));
  assert.deepEqual(of({}), [['count', 3]]);
  assert.deepEqual(of(Object.create({ count: 4 })), [['count', 4]]);
});

test('valid options are returned with fallbacks', () => {
  assert.deepEqual(checkOptions('f()', fields, {}), { count: 3 });
  const given = {
    count: 9,
    name: 'é',
    on: false,
    action: () => {},
    about: {},
    signal: AbortSignal.abort(),
    cpus: [0, 63],
    place: 'file:///x.js',
    any: null,
  };
  assert.deepEqual(checkOptions('f()', fields, given), given);
  assert.deepEqual(checkOptions('f()', fields, { name: undefined }), { count: 3 });
});

test('an invalid value is an error that names the option and its possible values', () => {
  /** @type {[object, RegExp][]} */
  const invalid = [
    [{ count: 0 }, /^f\(\): count must be a whole number from 1 to 9, not 0\.$/],
    [{ count: '5' }, /count .* not "5"\.$/],
    [{ count: null }, /count .* not null/],
    [{ count: NaN }, /count .* not NaN/],
    [{ name: '' }, /name must be a text of 1 to 8 characters .* not ""/],
    [{ name: 'a\0b' }, /name/],
    [{ name: 'far too long' }, /name/],
    [{ on: 1 }, /on must be true or false, not 1/],
    [{ action: {} }, /action must be a function, not an object/],
    [{ about: [] }, /about must be an object, not \[\]\./],
    [{ signal: {} }, /signal must be an instance of AbortSignal/],
    [
      { cpus: ['a'] },
      /cpus must be an array of 1 to 2 elements, each a whole number from 0 to 63, not \["a"\]/,
    ],
    [{ cpus: [] }, /cpus/],
    [{ cpus: new Array(2) }, /cpus/],
    [{ place: './x.js' }, /place must be an absolute URL/],
  ];
  for (const [given, message] of invalid) {
    assert.throws(() => checkOptions('f()', fields, given), {
      code: 'PITV_OPTION_INVALID',
      message,
    });
  }
});

test('an unknown name is an error that lists the names', () => {
  for (const given of [{ counts: 1 }, JSON.parse('{"__proto__": 1}'), { constructor: 1 }]) {
    assert.throws(() => checkOptions('f()', { count: fields.count }, given), {
      code: 'PITV_OPTION_INVALID',
      message: /^f\(\): there is no option "\w+"\. Options: count\.$/,
    });
  }
});

test('options that are not an object are an error', () => {
  for (const given of [null, 5, 'x', [], () => {}]) {
    assert.throws(() => checkOptions('f()', fields, given), { code: 'PITV_OPTION_INVALID' });
  }
});
