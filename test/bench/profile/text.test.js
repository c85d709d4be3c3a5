import assert from 'node:assert/strict';
import test from 'node:test';
import { hottest } from '../../../bench/profile/text.js';

const ROOT = new URL('../../../', import.meta.url).href;

test('the hottest functions come first, with their shares of the awake time', () => {
  /**
   * @param {number} id @param {string} functionName @param {number} hitCount @param {number[]} [children]
   * @param {string} [url]
   */
  const node = (id, functionName, hitCount, children = [], url = '') => ({
    id,
    callFrame: { functionName, url, scriptId: '0', lineNumber: 9, columnNumber: 4 },
    hitCount,
    children,
  });
  const nodes = [
    node(1, '(root)', 0, [2, 3, 4]),
    node(2, '(idle)', 100),
    node(3, '(garbage collector)', 1),
    node(4, 'step', 2, [5], `${ROOT}app/game.js`),
    node(5, '', 4, [6], 'file:///game.js'),
    node(6, 'step', 3, [], `${ROOT}app/game.js`),
  ];
  assert.deepEqual(hottest({ nodes, startTime: 0, endTime: 110 }), [
    { name: 'step app/game.js:10', self: 50, total: 90 },
    { name: '(anonymous) file:///game.js:10', self: 40, total: 70 },
    { name: '(garbage collector)', self: 10, total: 10 },
  ]);
  assert.deepEqual(hottest({ nodes: [nodes[1]], startTime: 0, endTime: 100 }), []);
});
