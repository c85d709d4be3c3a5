/** Checks the format of all files. */
import test from 'node:test';
import { passes } from './support/lint.js';

test('prettier would change nothing', () => passes('prettier', ['--check', '.']));
