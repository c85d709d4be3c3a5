/**
 * What a node knows about the others from their beats. guards.test.js explores what nodes that are cut off, suspended
 * and dead do with their matches.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { BEAT_MS, EXPIRE_MS, LEASE_MS, Membership } from '../../app/fleet/membership.js';

/** Makes a node of three, and what receives beats for it. @param {string} name */
function makeNode(name) {
  const time = { now: 0 };
  const node = new Membership({ node: name, start: 1, clock: () => time.now });
  node.setMembers(new Map(['a', 'b', 'c'].map((each) => [each, { start: 1 }])));
  /** @param {string} from @param {number} sequence @param {Partial<Parameters<typeof node.receive>[0]>} [more] */
  const receive = (from, sequence, more) =>
    node.receive({ node: from, start: 1, sequence, heard: {}, dead: {}, about: {}, ...more });
  return { node, time, receive };
}

test('the acknowledgement of a beat gives the lease for a while after the beat was sent', () => {
  const { node, time, receive } = makeNode('a');
  assert.equal(node.hasLease, false, 'one of three');
  const { sequence } = node.beat({});
  time.now += BEAT_MS;
  receive('b', 1, { heard: { a: [1, sequence, 50] } });
  assert.equal(node.alive[0].lagMs, BEAT_MS - 50);
  time.now = LEASE_MS - 1;
  receive('b', 2, { heard: { a: [0, sequence, 0] } }); // of an earlier start
  assert.equal(node.hasLease, false);
  receive('c', 1, { heard: { a: [1, sequence, 0] } });
  assert.equal(node.hasLease, true);
  time.now++;
  assert.equal(node.hasLease, false);
});

test('a node that another one hears is reached through that one', () => {
  for (const [name, missed] of /** @type {[string, number][]} */ ([
    ['a', 3],
    ['c', 4], // the first one by name moves first
  ])) {
    const { node, receive } = makeNode(name);
    const other = name === 'a' ? 'c' : 'a';
    receive('b', 5);
    receive(other, 1, { heard: { b: [1, 5 + missed - 1, 0] } });
    receive(other, 2, { heard: { b: [2, 99, 0] } });
    assert.equal(node.detour, undefined, 'its beats may be on the way, or it has started again');
    const about = { server: 'x' };
    receive(other, 3, { heard: { b: [1, 5 + missed, 0] }, about });
    assert.deepEqual(node.detour, { missed: 'b', through: other, about });
    receive('b', 6);
    assert.equal(node.detour, undefined);
  }
});

test('a node that this one has never heard is reached through another one, after some beats', () => {
  const { node, time, receive } = makeNode('a');
  node.listen();
  receive('c', 1, { heard: { b: [1, 99, 0], a: [1, 9, 0] } });
  assert.equal(node.detour, undefined, 'this one has just begun to listen');
  time.now += 3 * BEAT_MS;
  assert.deepEqual(node.detour, { missed: 'b', through: 'c', about: {} });
});

test('a node whose TV took long to start calls no other one dead before it has listened', () => {
  const { node, time } = makeNode('a');
  time.now += 3 * EXPIRE_MS;
  node.listen();
  assert.deepEqual(node.beat({}).dead, {});
  time.now += EXPIRE_MS - 1;
  assert.deepEqual(node.beat({}).dead, {});
  time.now += 2;
  assert.deepEqual(Object.keys(node.beat({}).dead), ['b', 'c']);
});

test('a start is dead when a majority says so, or a while after the next one has begun', () => {
  const { node, time, receive } = makeNode('a');
  receive('b', 1);
  assert.equal(node.mayTakeFrom('b', 7), false, 'a start that this node has not heard of');
  assert.equal(node.mayTakeFrom('c', 1), false);
  time.now += 2 * EXPIRE_MS;
  assert.equal(node.beat({}).dead.b, 7);
  assert.equal(node.isDead('b', 7), false, 'nobody else says so');
  receive('c', 1, { start: 2, dead: { b: 7 } });
  assert.deepEqual([node.isDead('b', 7), node.isDead('b', 8)], [true, false]);
  assert.equal(node.isDead('c', 1), false, 'it may claim what it has run');
  time.now += 2 * EXPIRE_MS;
  assert.deepEqual([node.isDead('c', 1), node.isDead('c', 2)], [true, false]);
});

test('a node to which all servers say that no other one is connected is the whole fleet', () => {
  const { node, time } = makeNode('c');
  const ask = (/** @type {string[]} */ nodes, times = 1) => {
    for (let i = 0; i < times; i++) {
      time.now += BEAT_MS;
      node.noteServers(time.now, { servers: 3, nodes });
    }
    return node.hasLease;
  };
  ask(['b', 'c'], 10);
  assert.equal(ask(['c', 'test'], 5), false, 'a node may be changing its server');
  assert.equal(ask(['c', 'test']), true);
  time.now += LEASE_MS;
  assert.equal(node.hasLease, false, 'the answer is old');
});

test('strangers, old beats and beats of oneself are not received', () => {
  const { receive } = makeNode('a');
  assert.equal(receive('x', 5), false);
  assert.equal(receive('a', 5), false);
  assert.equal(receive('b', 5, { start: 2 }), true);
  assert.equal(receive('b', 5, { start: 2 }), false);
  assert.equal(receive('b', 9), false, 'of an earlier start');
  assert.equal(receive('b', 6, { start: 2 }), true);
});
