import assert from 'node:assert/strict';
import test from 'node:test';
import { hasHash, hashToken, newToken, sameSecret } from '../../app/lobby/tokens.js';

test('tokens have 128 bits in base64url and differ', () => {
  const tokens = Array.from({ length: 100 }, newToken);
  for (const token of tokens) assert.match(token, /^[A-Za-z0-9_-]{22}$/);
  assert.equal(new Set(tokens).size, tokens.length);
});

test('a token has its own hash only', () => {
  const token = newToken();
  assert.equal(hashToken(token).length, 32);
  assert.ok(hasHash(token, hashToken(token)));
  assert.ok(!hasHash(token, hashToken(newToken())));
});

test('secrets of any length are compared', () => {
  assert.ok(sameSecret('abc', 'abc'));
  assert.ok(!sameSecret('abc', 'abcd'));
  assert.ok(!sameSecret('', 'a'));
});
