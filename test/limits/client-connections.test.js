import assert from 'node:assert/strict';
import test from 'node:test';
import { ClientConnections } from '../../app/limits/client-connections.js';

/** @param {{max: number, maxPerClient?: number}} bounds */
function open({ max, maxPerClient = 10 }) {
  /** @type {string[]} */
  const closed = [];
  /** @type {ClientConnections<string>} */
  const connections = new ClientConnections({
    max,
    maxPerClient,
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
