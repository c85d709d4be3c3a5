import assert from 'node:assert/strict';
import test from 'node:test';
import { JoinCode, randomCode } from '../../app/lobby/join-code.js';
import { LIMITS } from '../../app/limits/table.js';

/** @param {() => void} act @param {string} code */
const throwsCode = (act, code) => assert.throws(act, { code });

test('codes are short, readable and differ', () => {
  const codes = new Set(Array.from({ length: 500 }, randomCode));
  assert.ok(codes.size > 495);
  for (const code of codes) assert.match(code, /^[BCDFGHJKMNPQRSTWXYZ2-9]{5}$/);
});

test('the right code is accepted, also in lower case and with spaces around it; anything else is refused', () => {
  const joinCode = new JoinCode({ code: 'BCDFG', clock: () => 0 });
  joinCode.check('BCDFG', 'a');
  joinCode.check(' bcdfg ', 'a');
  assert.equal(joinCode.wrong, 0);
  const wrong = ['BCDFH', '', undefined, null, 5, {}, ['BCDFG'], 'BCDFG'.repeat(1000)];
  for (const [i, guess] of wrong.entries()) {
    throwsCode(() => joinCode.check(guess, `address ${i}`), 'PITV_CODE_WRONG');
  }
  assert.equal(joinCode.wrong, wrong.length);
});

test('a machine that changes its local IPv6 address is locked', () => {
  const joinCode = new JoinCode({ code: 'BCDFG', clock: () => 0 });
  let looked = 0;
  for (let i = 0; i < 1000; i++) {
    try {
      joinCode.check('X', `fe80::1:${i.toString(16)}%wlan0`);
    } catch (error) {
      if (Reflect.get(Object(error), 'code') === 'PITV_CODE_WRONG') looked++;
    }
  }
  assert.equal(looked, LIMITS.wrongCodesPerNetwork.value.burst);
  joinCode.check('BCDFG', '10.0.0.1'); // the common limit is not used up
});

test('the code of the link is accepted from locked addresses, which are known then', () => {
  const joinCode = new JoinCode({ code: 'BCDFG', clock: () => 0 });
  for (let i = 0; i < LIMITS.wrongCodesOfAll.value.burst; i++) {
    throwsCode(() => joinCode.check('X', `10.0.${i}.1`), 'PITV_CODE_WRONG');
  }
  throwsCode(() => joinCode.check('BCDFG', '10.0.0.2'), 'PITV_CODE_LOCKED');
  for (const thisMachine of ['127.0.0.1', '::1']) joinCode.check('BCDFG', thisMachine);
  assert.match(joinCode.linkCode, /^BCDFG[BCDFGHJKMNPQRSTWXYZ2-9]{5}$/);
  joinCode.check(joinCode.linkCode.toLowerCase(), '10.0.0.2');
  joinCode.check('BCDFG', '10.0.0.2');
});

test('the link of another TV with the same code counts as its code', () => {
  const joinCode = new JoinCode({ code: 'BCDFG', clock: () => 0 });
  const { linkCode } = new JoinCode({ code: 'BCDFG' });
  joinCode.check(linkCode, '10.0.0.1');
  throwsCode(() => joinCode.check('BCDFGX', '10.0.0.1'), 'PITV_CODE_WRONG');
  throwsCode(() => joinCode.check(`XCDFG${linkCode.slice(5)}`, '10.0.0.1'), 'PITV_CODE_WRONG');
});

test('a random code goes on as the one of the last start, a given one keeps its link, and rubbish is ignored', () => {
  const code = new JoinCode();
  for (const rubbish of ['', 'BCDFG', 'bcdfghjkmn', 'BCDFGHJKM0', 'BCDFGHJKMNN']) {
    const before = code.linkCode;
    code.restore(rubbish);
    assert.equal(code.linkCode, before, rubbish);
  }
  code.restore('BCDFGHJKMN');
  assert.deepEqual([code.code, code.linkCode], ['BCDFG', 'BCDFGHJKMN']);
  const late = new JoinCode();
  const { linkCode } = late;
  late.restore('BCDFGHJKMN', false);
  assert.equal(late.linkCode, linkCode, 'the last start was long ago');
  const given = new JoinCode({ code: 'ZZZZZ' });
  given.restore('BCDFGHJKMN');
  assert.equal(given.code, 'ZZZZZ');
  given.restore('ZZZZZHJKMN', false);
  assert.equal(given.linkCode, 'ZZZZZHJKMN');
});
