/** HTTP requests and servers for tests. */
import { once } from 'node:events';
import { request } from 'node:http';
import { request as requestTls } from 'node:https';

/**
 * Requests a new match.
 * @param {{url: string}} tv @param {unknown} body text is sent unchanged @param {Record<string, string>} [headers]
 */
export const post = (tv, body, headers) =>
  fetch(`${tv.url}/api/matches`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/**
 * Sends a request to the API as the admin.
 * @param {{url: string, admin: {token: string}}} tv @param {string} path below /api
 * @param {RequestInit & {json?: unknown}} [how] json: the body
 */
export function askAdmin(tv, path, { json, headers, ...how } = {}) {
  const own = new Headers({ authorization: `Bearer ${tv.admin.token}` });
  if (json !== undefined) own.set('content-type', 'application/json');
  for (const [name, value] of new Headers(headers)) own.set(name, value);
  const body = json === undefined ? undefined : JSON.stringify(json);
  return fetch(`${tv.url}/api${path}`, { body, ...how, headers: own });
}

/** Returns the status and the code of an error. @param {Response} answer @returns {Promise<[number, string]>} */
export const refusalOf = async (answer) => [answer.status, (await answer.json()).error?.code];

/**
 * Sends a request. Unlike fetch(), it takes all options of node:http, and neither normalises the path nor decompresses
 * the answer. Without an agent, the connection is closed afterwards.
 * @param {{url: string}} tv @param {string} path
 * @param {import('node:https').RequestOptions & {body?: unknown}} [options] body: is sent as JSON, by POST
 * @returns {Promise<{status: number, headers: Record<string, any>, body: Buffer}>}
 */
export async function ask({ url }, path, { body, headers, ...options } = {}) {
  const send = url.startsWith('https:') ? requestTls : request;
  const isPost = body !== undefined;
  const outgoing = send(url, {
    path,
    agent: false,
    method: isPost ? 'POST' : 'GET',
    headers: { ...(isPost && { 'content-type': 'application/json' }), ...headers },
    ...options,
  });
  outgoing.end(isPost ? JSON.stringify(body) : undefined);
  const [response] = await once(outgoing, 'response');
  const parts = await response.toArray();
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) };
}

/**
 * Has a server listen on a free port of 127.0.0.1. It is closed after the test.
 * @param {{after: (action: () => unknown) => void}} t
 * @param {import('node:net').Server & {closeAllConnections?: () => void}} server @returns {Promise<number>} the port
 */
export async function listen(t, server) {
  t.after(() => {
    server.closeAllConnections?.();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}
