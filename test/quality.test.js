/** Checks code and types. Prettier, which takes as long as both, runs in quality.long.test.js. */
import test from 'node:test';
import { passes } from './support/lint.js';

test('eslint finds nothing', () => passes('eslint', ['.']));
test('the types hold (tsc --strict over the JSDoc)', () => passes('tsc', []));
