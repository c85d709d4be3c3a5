import { text as textOf } from '../lib/language.js';
import { errorText } from '../lib/reports.js';

/**
 * Sends a request of the admin page. A cookie that scripts cannot read proves the login.
 * @param {string} path
 * @param {RequestInit & {json?: unknown}} [options] json: the body, which makes it a POST
 * @returns {Promise<Response>}
 * @throws {RequestError} with a message in the page's language
 */
export async function request(path, { json, ...options } = {}) {
  const body =
    json === undefined
      ? {}
      : {
          method: 'POST',
          body: JSON.stringify(json),
          headers: { 'Content-Type': 'application/json', ...options.headers },
        };
  const response = await fetch(path, { cache: 'no-store', ...options, ...body });
  if (response.ok) return response;
  const answer = await response.json().catch(() => null);
  const { code = '', message = textOf('admin.status', { status: response.status }) } =
    answer?.error ?? {};
  throw new RequestError(code, errorText({ code, message }));
}

export class RequestError extends Error {
  /** @param {string} code the TV's, or empty @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
