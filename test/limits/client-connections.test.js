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

test('a client has at most its own number of connections', () => {
  const { connections } = open({ max: 10, maxPerClient: 2 });
  connections.add('a1', 'a');
  assert.equal(connections.isFull('a'), false);
  connections.add('a2', 'a');
  assert.equal(connections.isFull('a'), true);
  assert.equal(connections.isFull('b'), false);
  connections.remove('a1');
  assert.equal(connections.isFull('a'), false);
});

test('the newest connection of the client with the most makes room', () => {
  const { connections, closed } = open({ max: 3 });
  assert.equal(connections.makeRoom('a'), true, 'there is room');
  for (const connection of ['a1', 'a2', 'b1']) connections.add(connection, connection[0]);
  assert.equal(connections.makeRoom('c'), true);
  assert.deepEqual(closed, ['a2']);
  assert.deepEqual([...connections.all], ['a1', 'b1']);
});

test('a client that would have the most itself is refused', () => {
  const { connections, closed } = open({ max: 3 });
  for (const connection of ['a1', 'a2', 'b1']) connections.add(connection, connection[0]);
  assert.equal(connections.makeRoom('a'), false);
  assert.equal(connections.makeRoom('b'), false, 'two of each would be no fairer');
  assert.deepEqual(closed, []);
});

test('of two clients with the most, the one with the newest connection makes room', () => {
  const { connections, closed } = open({ max: 4 });
  for (const connection of ['b1', 'a1', 'b2', 'a2']) connections.add(connection, connection[0]);
  assert.equal(connections.makeRoom('c'), true);
  assert.deepEqual(closed, ['a2']);
});

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

test('a connection is removed once', () => {
  const { connections } = open({ max: 2, maxPerClient: 1 });
  connections.add('a1', 'a');
  connections.remove('a1');
  connections.remove('a1');
  assert.equal(connections.size, 0);
  connections.add('a2', 'a');
  assert.equal(connections.isFull('a'), true);
});

test('protected connections do not make room, and do not count', () => {
  const { connections, closed } = open({ max: 4, isProtected: (name) => name.endsWith('p') });
  for (const connection of ['a1p', 'a2p', 'b1', 'b2']) connections.add(connection, connection[0]);
  assert.equal(connections.makeRoom('a'), true, 'b has more that are not protected');
  assert.deepEqual(closed, ['b2']);
  connections.add('a3', 'a');
  assert.equal(connections.makeRoom('c'), false);
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
  assert.deepEqual(
    [1, 2, 3].map(() => counts.take('a')),
    [true, true, false],
  );
  assert.deepEqual(
    [1, 2].map(() => counts.take('b')),
    [true, false],
    'three in all',
  );
  counts.release('a');
  assert.equal(counts.take('b'), true);
  assert.equal(counts.total, 3);
});
