import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JoinCode, randomCode } from '../../app/lobby/join-code.js';
import { CODE_LENGTH, LINK_CODE_LENGTH, cleanCode } from '../../app/web/lib/code.js';

test('every generated code can be typed', () => {
  for (let i = 0; i < 500; i++) {
    const code = randomCode();
    assert.equal(code.length, CODE_LENGTH);
    assert.equal(cleanCode(code.toLowerCase()), code);
  }
});

test('a page keeps the code of the link whole, and shows the part that people type', () => {
  const { code, linkCode } = new JoinCode();
  assert.equal(cleanCode(linkCode, LINK_CODE_LENGTH), linkCode);
  assert.equal(cleanCode(`${linkCode}X`, LINK_CODE_LENGTH), linkCode);
  assert.equal(cleanCode(linkCode), code);
});

test('characters that are not part of a code are removed', () => {
  assert.equal(cleanCode(' c-y h\n8 7 '), 'CYH87');
  assert.equal(cleanCode('BBBBBBBBBB'), 'BBBBB');
});
