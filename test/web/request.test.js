/** Tests requests of the pages, with a real server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { RequestError, request, requestJson } from '../../app/web/lib/request.js';
import { listen } from '../support/http.js';

/** @param {import('node:test').TestContext} t @param {import('node:http').RequestListener} answer */
async function startServer(t, answer) {
  const server = createServer(answer);
  return { server, url: `http://127.0.0.1:${await listen(t, server)}/` };
}

test('a value is posted as JSON', async (t) => {
  const { url } = await startServer(t, async (req, res) => {
    const body = String(Buffer.concat(await req.toArray()));
    res.end(JSON.stringify([req.method, req.headers['content-type'], body]));
  });
  const answer = await requestJson(url, { json: { on: true } });
  assert.deepEqual(answer, ['POST', 'application/json', '{"on":true}']);
});

test('a refusal has the code and the message of the TV, or its status', async (t) => {
  const error = { code: 'PITV_SOMETHING', message: 'It is refused.' };
  for (const [status, answer, code, message] of /** @type {const} */ ([
    [409, JSON.stringify({ error }), 'PITV_SOMETHING', 'It is refused.'],
    [502, '<html>', '', 'The TV answered 502.'],
  ])) {
    const { url } = await startServer(t, (_, res) => res.writeHead(status).end(answer));
    await assert.rejects(request(url), new RequestError(code, message));
  }
});

test('a TV that is off does not answer', async (t) => {
  const { server, url } = await startServer(t, (_, res) => res.end());
  server.close();
  await once(server, 'close');
  await assert.rejects(request(url), new RequestError('', 'The TV does not answer.'));
});
