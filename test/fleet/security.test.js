/** Who may talk to the servers of a fleet: TVs with its credentials, over TLS if it is configured, and nobody else. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { dirname, join } from 'node:path';
import { createUser, fromSeed } from '@nats-io/nkeys';
import { makeCertificate } from '../support/certificate.js';
import { temporaryFolder, until } from '../support/tv.js';
import { connectTo, startServers, test } from './play.js';

const HOST = '127.0.0.1';
const SUBJECTS = [
  'pitv.beat',
  'pitv.frame.1',
  'pitv.input.1.node-0',
  'pitv.node.node-0',
  'pitv.shared',
  '$KV.pitv-members.members',
  '$JS.API.INFO',
  '_INBOX.1.1',
];

/**
 * Starts servers, and opens a connection to the first one as a TV does.
 * @param {import('node:test').TestContext} t @param {Parameters<typeof startServers>[1]} [options]
 */
async function startNode(t, options) {
  const fleet = await startServers(t, { count: 1, ...options });
  const { credentials: credentialsFile, urls } = fleet;
  const first = { servers: urls.slice(0, 1), caFile: options?.tls?.ca ?? '' };
  const open = (/** @type {Parameters<typeof connectTo>[2]} */ other = {}) =>
    connectTo(t, fleet, { ...first, ...other });
  return { credentialsFile, port: Number(new URL(urls[0]).port), open, node: await open() };
}

/**
 * Sends lines to a port and waits until the server has closed the connection.
 * @param {number} port @param {string[]} lines
 */
async function talk(port, lines) {
  const socket = connectSocket(port, HOST);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => (answer += text));
  socket.on('error', () => {}); // the server closes while lines are still coming
  socket.write(lines.map((line) => `${line}\r\n`).join(''));
  await once(socket, 'close');
  return answer;
}

test('a stranger can neither read nor publish any subject', async (t) => {
  const { port, open, node } = await startNode(t);
  /** @type {string[]} */
  const received = [];
  for (const subject of ['pitv.>', '_INBOX.>']) {
    node.subscribe(subject, (message) => received.push(message.subject));
  }
  const friend = await open();
  await node.nats.flush();
  const other = createUser();
  const hello = { verbose: false, pedantic: false, protocol: 1, nkey: other.getPublicKey() };
  for (const connect of [
    'CONNECT {}',
    'CONNECT {"user":"fleet","pass":"secret"}', // that of the servers
    `CONNECT ${JSON.stringify({ ...hello, sig: 'AAAA' })}`,
    'PING',
  ]) {
    for (const subject of SUBJECTS) {
      const talking = talk(port, [
        connect,
        `SUB ${subject} 1`,
        `PUB ${subject} 8`,
        'stranger',
        'PING',
      ]);
      node.publish(subject, 'secret');
      const answer = await talking;
      assert.match(
        answer,
        /-ERR 'Authorization (Violation|Timeout)'|-ERR 'Authentication/,
        `${connect}, ${subject}`,
      );
      assert.doesNotMatch(answer, /^(MSG|PONG)/m);
    }
  }
  friend.publish('pitv.beat', 'friend');
  await until(() => received.length > 0, 'a message of a TV');
  assert.deepEqual(received, ['pitv.beat'], 'no message of a stranger');
});

test('a stranger cannot be one of the servers', async (t) => {
  const { credentialsFile } = await startNode(t, { count: 2 });
  const config = readFileSync(join(dirname(credentialsFile), 'nats-0.conf'), 'utf8');
  const routePort = Number(/cluster \{.*?listen: "[\d.]+:(\d+)"/s.exec(config)?.[1]);
  const nkey = fromSeed(readFileSync(credentialsFile)).getPublicKey();
  for (const options of [{}, { user: 'fleet', pass: 'wrong' }, { nkey, sig: 'AAAA' }]) {
    const connect = `CONNECT ${JSON.stringify({ verbose: false, name: 'stranger', ...options })}`;
    const answer = await talk(routePort, [connect, 'RS+ $G pitv.beat', 'RMSG $G pitv.beat 1', 'x']);
    assert.match(answer, /-ERR 'Authorization Violation'/);
    assert.doesNotMatch(answer, /^R?MSG/m);
  }
});

test('a TV may use what it needs and nothing else', async (t) => {
  const { node, open } = await startNode(t);
  const members = await node.openBucket('pitv-members', { storage: 'file' });
  await members.put('members', '{}');
  assert.equal((await members.get('members'))?.string(), '{}');
  const { nats } = await open();
  const refused = (/** @type {string} */ subject) => (/** @type {any} */ error) =>
    new RegExp(
      `Permissions Violation for (Publish|Subscription) to "${subject.replace(/[$.>*]/g, '\\$&')}`,
    ).test(String(error.message) + String(error.cause?.message));
  for (const subject of ['$KV.>', '$JS.API.>', '$SYS.>', '>']) {
    const subscription = nats.subscribe(subject);
    await assert.rejects(
      subscription.closed.then((error) => Promise.reject(error)),
      refused(subject),
    );
  }
  for (const subject of [
    '$JS.API.STREAM.DELETE.KV_pitv-members',
    '$SYS.REQ.SERVER.PING',
    'other',
  ]) {
    await assert.rejects(nats.request(subject, '', { timeout: 1000 }), refused(subject));
  }
  assert.equal((await members.get('members'))?.string(), '{}', 'the bucket is there');
});

test('wrong credentials are refused with a sentence that says so', async (t) => {
  const { open } = await startNode(t);
  const credentialsFile = join(temporaryFolder(), 'other');
  writeFileSync(credentialsFile, Buffer.from(createUser().getSeed()));
  await assert.rejects(open({ credentialsFile }), {
    code: 'PITV_FLEET_CREDENTIALS',
    message: /do not accept the credentials/,
  });
  await assert.rejects(open({ credentialsFile: '' }), { code: 'PITV_FLEET_CREDENTIALS' });
});

test('with TLS, three servers form a cluster that trusts its certificate', async (t) => {
  const certificates = temporaryFolder();
  const [right, wrong] = await Promise.all(
    ['right', 'wrong'].map((name) => makeCertificate(certificates, name)),
  );
  const { open, node, port, credentialsFile } = await startNode(t, {
    count: 3,
    tls: { cert: right.cert, key: right.key, ca: right.cert },
  });
  const reached = async () => (await node.askServers().catch(() => undefined))?.servers === 3;
  await until(reached, 'the servers reach each other');

  const untrusted = { code: 'PITV_FLEET_TLS', message: /is not trusted: self-signed certificate/ };
  await assert.rejects(open({ caFile: wrong.cert }), untrusted);
  await assert.rejects(open({ caFile: '' }), untrusted, 'the authorities of the system');
  await assert.rejects(open({ servers: [`tls://localhost:${port}`] }), {
    code: 'PITV_FLEET_TLS',
    message: /does not match certificate/,
  });
  for (const caFile of [join(certificates, 'missing'), credentialsFile]) {
    await assert.rejects(open({ caFile }), {
      code: 'PITV_FLEET_TLS',
      message: /has no certificate/,
    });
  }
});

test('a TV that expects TLS does not talk to a server without it', async (t) => {
  const { open, port } = await startNode(t);
  await assert.rejects(open({ servers: [`tls://${HOST}:${port}`] }), {
    code: 'PITV_FLEET_AWAY',
    message: /server does not support 'tls'/,
  });
});
