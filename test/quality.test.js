/** Checks types. ESLint and Prettier, which take much longer, run in quality.long.test.js. */
import test from 'node:test';
import { passes } from './support/lint.js';

test('the types hold (tsc --strict over the JSDoc)', () => passes('tsc', []));
