/** Requests as no browser makes them. */
import { request } from 'node:http';

/**
 * @param {import('../../app/tv.js').Tv} tv @param {unknown} body
 * @param {Record<string, string>} [headers]
 */
export const post = (tv, body, headers) =>
  fetch(`${tv.url}/api/matches`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** fetch() tidies paths up and takes compression off by itself; this does neither. */
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
