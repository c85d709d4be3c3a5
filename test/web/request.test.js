/** Tests requests of the pages, with a real server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { RequestError, errorMessage, request } from '../../app/web/lib/request.js';

/** @param {import('node:test').TestContext} t @param {import('node:http').RequestListener} answer */
async function startServer(t, answer) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { server, url: `http://127.0.0.1:${port}/` };
}

/** @param {Promise<unknown>} promise @returns {Promise<unknown>} */
const errorOf = (promise) =>
  promise.then(
    () => assert.fail('no error'),
    (error) => error,
  );

test('a value is posted as JSON', async (t) => {
  const { url } = await startServer(t, (req, res) => {
    const { method, headers } = req;
    req
      .toArray()
      .then((parts) =>
        res.end(JSON.stringify([method, headers['content-type'], String(Buffer.concat(parts))])),
      );
  });
  const answer = await (await request(url, { json: { on: true } })).json();
  assert.deepEqual(answer, ['POST', 'application/json', '{"on":true}']);
});

test('a refusal has the code and the message of the TV', async (t) => {
  const error = { code: 'PITV_SOMETHING', message: 'It is refused.' };
  const { url } = await startServer(t, (_, res) =>
    res.writeHead(409).end(JSON.stringify({ error })),
  );
  const thrown = await errorOf(request(url));
  assert.ok(thrown instanceof RequestError);
  assert.equal(thrown.code, 'PITV_SOMETHING');
  assert.equal(errorMessage(thrown), 'It is refused.');
});

test('a refusal without a message shows its status', async (t) => {
  const { url } = await startServer(t, (_, res) => res.writeHead(502).end('<html>'));
  assert.equal(errorMessage(await errorOf(request(url))), 'The TV answered 502.');
});

test('a TV that is off does not answer', async (t) => {
  const { server, url } = await startServer(t, (_, res) => res.end());
  server.close();
  await once(server, 'close');
  const thrown = await errorOf(request(url));
  assert.ok(thrown instanceof RequestError);
  assert.equal(errorMessage(thrown), 'The TV does not answer.');
});
