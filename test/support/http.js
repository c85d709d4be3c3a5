/** HTTP requests for tests. */
import { request } from 'node:http';

/**
 * Requests a new match.
 * @param {import('../../app/tv.js').Tv} tv @param {unknown} body text is sent unchanged
 * @param {Record<string, string>} [headers]
 */
export const post = (tv, body, headers) =>
  fetch(`${tv.url}/api/matches`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** Requests a path. Unlike fetch(), it neither normalises the path nor decompresses the answer. */
export const rawGet = (
  /** @type {import('../../app/tv.js').Tv} */ tv,
  /** @type {string} */ path,
  headers = {},
) =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: tv.port, path, headers }, (response) => {
      /** @type {Buffer[]} */
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          body: Buffer.concat(parts),
        }),
      );
    })
      .on('error', reject)
      .end();
  });
