import assert from 'node:assert/strict';
import test from 'node:test';
import { ClientConnections, ClientCounts } from '../../app/limits/client-connections.js';
import { LIMITS } from '../../app/limits/table.js';

/** @param {{max: number, maxPerClient?: number, isProtected?: (connection: string) => boolean}} options */
function open({ max, maxPerClient = 10, isProtected }) {
  /** @type {string[]} */
  const closed = [];
  /** @type {ClientConnections<string>} */
  const connections = new ClientConnections({
    max,
    maxPerClient,
    isProtected,
    close: (connection) => closed.push(connection),
  });
  return { connections, closed };
}

test('a client has at most its own number of connections, and each is removed once', () => {
  const { connections } = open({ max: 10, maxPerClient: 2 });
  for (const connection of ['a1', 'a2']) {
    assert.equal(connections.isFull('a'), false);
    connections.add(connection, 'a');
  }
  assert.deepEqual([connections.isFull('a'), connections.isFull('b')], [true, false]);
  for (let i = 0; i < 2; i++) connections.remove('a1');
  assert.deepEqual([connections.size, connections.isFull('a')], [1, false]);
  connections.add('a3', 'a');
  assert.equal(connections.isFull('a'), true);
});

const isProtected = (/** @type {string} */ connection) => connection.endsWith('p');
/**
 * Present connections by their client's letter, the client of a new one, and the connection that makes room for it.
 * @type {[string, Parameters<typeof open>[0], string, string, string | undefined][]}
 */
const FULL = [
  ['the newest connection of the client with the most', { max: 3 }, 'a1 a2 b1', 'c', 'a2'],
  ['none for the client that has the most itself', { max: 3 }, 'a1 a2 b1', 'a', undefined],
  ['none if it would be no fairer', { max: 3 }, 'a1 a2 b1', 'b', undefined],
  ['of two with the most, that of the newest one', { max: 4 }, 'b1 a1 b2 a2', 'c', 'a2'],
  ['no protected one, which does not count', { max: 4, isProtected }, 'a1p a2p b1 b2', 'a', 'b2'],
  ['none of few that are not protected', { max: 4, isProtected }, 'a1p a2p b1 a3', 'c', undefined],
];
for (const [which, options, present, client, gone] of FULL) {
  test(`what makes room: ${which}`, () => {
    const { connections, closed } = open(options);
    const before = present.split(' ');
    for (const connection of before) {
      assert.equal(connections.makeRoom(client), true, 'there is room');
      connections.add(connection, connection[0]);
    }
    assert.equal(connections.makeRoom(client), gone !== undefined);
    assert.deepEqual(closed, gone ? [gone] : []);
    const left = before.filter((connection) => connection !== gone);
    assert.deepEqual([...connections.all], left);
  });
}

test('a connection without bounds takes the place of a bounded one and keeps its own', () => {
  const { connections, closed } = open({ max: 2 });
  connections.add('proxy1', undefined);
  connections.add('a1', 'a');
  assert.equal(connections.makeRoom(undefined), true);
  assert.deepEqual(closed, ['a1']);
  connections.add('proxy2', undefined);
  assert.equal(connections.makeRoom(undefined), false);
  assert.equal(connections.makeRoom('b'), false);
});

test('this machine keeps some connections, takes the place of others, and cannot take all', () => {
  const kept = LIMITS.ownConnections.value;
  const { connections, closed } = open({ max: kept + 3, maxPerClient: 100 });
  for (const client of ['a', 'b', 'c']) connections.add(`${client}1`, client);
  for (let i = 0; i < kept; i++) connections.add(`own ${i}`, '127.0.0.1');
  assert.equal(connections.makeRoom('d'), false, 'nobody has more than one that may be closed');
  connections.remove('own 0');
  connections.add('d1', 'd');
  assert.equal(connections.makeRoom('127.0.0.1'), true);
  assert.deepEqual(closed, ['d1']);
  connections.add(`own ${kept}`, '127.0.0.1');
  assert.equal(connections.makeRoom('127.0.0.1'), false, 'it has its share');

  const alone = open({ max: kept + 3, maxPerClient: 100 });
  for (let i = 0; i < kept + 3; i++) alone.connections.add(`own ${i}`, '127.0.0.1');
  assert.equal(alone.connections.makeRoom('a'), true);
  assert.deepEqual(alone.closed, [`own ${kept + 2}`], 'the newest');
  const few = open({ max: kept + 1, maxPerClient: 100 });
  for (let i = 0; i < kept + 1; i++) few.connections.add(`own ${i}`, '127.0.0.1');
  assert.equal(few.connections.makeRoom('a'), false, 'only one of them may be closed');
});

test('bounds each client, and all together', () => {
  const counts = new ClientCounts({ max: 3, maxPerClient: 2 });
  const taken = [...'aaabb'].map((client) => counts.take(client));
  assert.deepEqual(taken, [true, true, false, true, false], 'two of each, three in all');
  counts.release('a');
  assert.equal(counts.take('b'), true);
  assert.equal(counts.total, 3);
});
