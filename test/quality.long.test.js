/** Checks types, code and format of all files, as `make lint` does. */
import test from 'node:test';
import { passes } from './support/lint.js';

test('the types hold (tsc --strict over the JSDoc)', () => passes('tsc', []));
test('eslint finds nothing', () => passes('eslint', ['.']));
test('prettier would change nothing', () => passes('prettier', ['--check', '.']));
