/** Checks code and format of all files. */
import test from 'node:test';
import { passes } from './support/lint.js';

test('eslint finds nothing', () => passes('eslint', ['.']));
test('prettier would change nothing', () => passes('prettier', ['--check', '.']));
