/**
 * Explores what may happen to a fleet of three nodes and one match: at no time do two of them show the match, it is not
 * lost while most nodes live, and a node that pauses it says why. Guards with errors in them must be found.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extent } from '../support/extent.js';
import { explore } from './explore.js';
import { loadGuards } from './model-node.js';
import { World } from './model.js';

const guards = loadGuards();
const EVENTS = 12;
/** Failures of any kind and duration, one after the other. */
const FAILURES = extent(1, 2);

for (const partition of /** @type {const} */ (['pause', 'continue'])) {
  test(`whatever happens, one node shows the match, with --fleet-partition ${partition}`, (t) => {
    const most = { events: EVENTS, failures: FAILURES };
    const states = explore(new World(guards, partition), most);
    t.diagnostic(`${states} states`);
    assert.ok(states > 400);
  });
}

const ALONE = 'a is alone';
const DEAF = 'c hears nobody';
const LATE = 'messages are late';
const LOST = 'changes are lost';
const NO_WRITES = 'no JetStream';

/**
 * @typedef {object} Mistake
 * @property {string} from what the source has @property {string} to what a mistake makes of it
 * @property {RegExp} error @property {string[]} failures with which it is found
 * @property {number} [most] how many failures; by default one
 * @property {'continue'} [partition]
 */

/** @type {Record<string, Mistake>} */
const MISTAKES = {
  'the lease or the confirmation is enough to show a match': {
    from: 'membership.hasLease && matches.isConfirmed(id)',
    to: 'membership.hasLease || matches.isConfirmed(id)',
    error: /two owners/,
    failures: [ALONE],
  },
  'the lease counts as lost since it was lost for the first time': {
    from: '    this.#lostAt = Infinity;\n    if (this.isCutOff ||',
    to: '    if (this.isCutOff ||',
    error: /a moment ago/,
    failures: [ALONE],
  },
  'with "continue", matches are shown before the node is cut off': {
    from: "partition === 'continue' && this.isCutOff",
    to: "partition === 'continue'",
    error: /two owners/,
    failures: [ALONE],
    partition: 'continue',
  },
  'the lease is longer than the time until a node is declared dead': {
    from: 'LEASE_MS = 800',
    to: 'LEASE_MS = 2000',
    error: /two owners/,
    failures: [ALONE],
  },
  'one node can declare another one dead': {
    from: 'own + others.length >= this.majority',
    to: 'own + others.length >= 1',
    error: /two owners/,
    failures: ['a and b are apart'],
  },
  'a node that was declared dead shows its matches before it has written their checkpoints': {
    from: '    matches.confirmAll();',
    to: '',
    error: /two owners|lost/,
    failures: [ALONE, 'no JetStream, changes are lost'],
  },
  'a former owner can write a checkpoint': {
    from: '{ previousSeq, timeout }));',
    to: '{ timeout }));',
    error: /two owners|old checkpoint/,
    failures: [ALONE],
  },
  'a former owner takes the mark of another node for its own checkpoint': {
    from: "readMark(entry.value).by !== ''",
    to: 'false',
    error: /two owners/,
    failures: [ALONE, 'a and b are apart'],
    most: 2,
  },
  'a node is alone although a server has not answered': {
    from: 'servers >= this.#members.size &&',
    to: '',
    error: /two owners/,
    failures: [ALONE, 'b dies'],
    most: 2,
  },
  'a node is alone although others are connected to the servers': {
    from: '&& others.length === 0',
    to: '',
    error: /two owners/,
    failures: ['c hears nobody'],
  },
  'a match whose checkpoint a newer owner has removed can be taken over': {
    from: "else if (entry?.operation === 'DEL' && (i > 0 || owners.length === 1)) throw fenced();",
    to: '',
    error: /two owners/,
    failures: [ALONE, LATE],
    most: 2,
  },
  'a match whose new owner has written no checkpoint begins again': {
    from: 'bytes.length > 0 || i + 1 === owners.length',
    to: 'true',
    error: /old checkpoint/,
    failures: [ALONE, `${ALONE}, one beat`, 'b dies'],
    most: 3,
  },
  'a match that a node was taking over when it died is left to it': {
    from: 'owners.includes(by) || !membership.isGone(by)',
    to: 'true',
    error: /lost/,
    failures: [ALONE, `${ALONE}, answers of JetStream are lost`, 'b dies'],
    most: 3,
  },
  'the first checkpoint of a new owner replaces any mark': {
    from: 'void this.#learnRevision(id);',
    to: '',
    error: /two owners|lost|old checkpoint/,
    failures: [ALONE, `${ALONE}, one beat`, 'b is alone'],
    most: 4,
  },
  'a node that has taken over its own match and died has marked it for ever': {
    from: "by === '' || by === node",
    to: "by === ''",
    error: /lost/,
    failures: ['a dies'],
    most: 2,
  },
  'a node that has lost a match and does not know the new owner keeps that to itself': {
    from: 'if (record?.node === node) this.#shared.set',
    to: 'if (false) this.#shared.set',
    error: /lost/,
    failures: [ALONE, `${ALONE}, answers of JetStream are lost`],
    most: 2,
  },
  'a node tells about a match that it is losing': {
    from: 'if ((this.#fleet.record(match.id)?.epoch ?? 0) > workerOf(match).epoch) return;',
    to: '',
    error: /former owner/,
    failures: [ALONE, NO_WRITES],
    most: 2,
  },
  'a record has an earlier start of the node that runs the match': {
    from: 'if (isNewest && this.#unconfirmed.delete(id)) this.#tell(match);',
    to: 'if (isNewest) this.#unconfirmed.delete(id);',
    error: /lost/,
    failures: ['no link'],
  },
  'a match can be taken from a start that may live': {
    from: "if (by === '' && !mayTake(node, start)) throw fenced();",
    to: '',
    error: /two owners/,
    failures: [LOST, LATE],
    most: 2,
  },
  'a start that only others have seen dead stays alive': {
    from: 'return Math.max(start, ...',
    to: 'return Math.max(start, ...[] ?? ',
    error: /lost/,
    failures: [DEAF, 'b is alone', 'a dies'],
    most: 3,
  },
  'a node that has all servers to itself stays in a start that others have declared dead': {
    from: '&& !membership.isAlone ',
    to: '',
    error: /two owners/,
    failures: [ALONE, 'a and b has no server'],
    most: 2,
  },
};
for (const [name, { from, to, error, failures, most = 1, partition = 'pause' }] of Object.entries(
  MISTAKES,
)) {
  test(`the exploration finds a mistake: ${name}`, () => {
    const broken = loadGuards((source) => {
      const changed = source.replace(from, to);
      assert.notEqual(changed, source);
      return changed;
    });
    const run = (/** @type {object} */ each) =>
      explore(new World(each, partition, failures), { events: EVENTS, failures: most });
    assert.throws(() => run(broken), error);
    if (most < 3) run(guards);
  });
}
