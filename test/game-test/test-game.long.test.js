import { test } from 'node:test';
import { BAD } from './bad-games.js';
import { checkBadGame } from './verdicts.js';

for (const [id, { short }] of Object.entries(BAD)) {
  if (!short)
    test(`a bad game fails by the verdict that names its fault: ${id}`, (t) => checkBadGame(t, id));
}
