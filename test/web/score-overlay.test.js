import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { COLORS } from '../../app/clips/render/score-overlay.js';

const css = readFileSync(new URL('../../app/web/lib/base.css', import.meta.url), 'utf8');
/** @param {string} name */
const variable = (name) => new RegExp(`--${name}: (#[0-9a-f]+);`).exec(css)?.[1];

test('clips have the colours of the pages', () => {
  const { text, muted, lead, low } = COLORS;
  assert.deepEqual(
    [text, muted, lead, low],
    ['text', 'muted', 'fair', 'bad'].map((name) => variable(name)),
  );
});
