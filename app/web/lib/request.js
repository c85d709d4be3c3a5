import { text as textOf } from './language.js';
import { errorText } from './reports.js';

/** The origin of the TV to which the page is connected; empty: that of the page. In a fleet, it may be another one. */
let origin = '';

/** Sets the TV. @param {string} socketUrl of its websocket */
export function setTv(socketUrl) {
  const { origin: tv } = new URL(socketUrl.replace(/^ws/, 'http'));
  origin = tv === globalThis.location?.origin ? '' : tv;
}

/** Returns the address of a file of the TV. @param {string} path @returns {string} */
export const tvUrl = (path) => origin + path;

/**
 * Sends a request to the TV. The admin page's login is proven by a cookie that scripts cannot read.
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
  const response = await fetch(path, { cache: 'no-store', ...options, ...body }).catch(() => {
    throw new RequestError('', textOf('request.noAnswer'));
  });
  if (response.ok) return response;
  const answer = await response.json().catch(() => null);
  const { code = '', message = textOf('request.status', { status: response.status }) } =
    answer?.error ?? {};
  throw new RequestError(code, errorText({ code, message }));
}

/**
 * Sends a request whose answer is JSON.
 * @param {string} path @param {Parameters<typeof request>[1]} [options]
 * @returns {Promise<any>}
 * @throws {RequestError}
 */
export const requestJson = async (path, options) => (await request(path, options)).json();

/** The TV refused a request, or did not answer. */
export class RequestError extends Error {
  /** @param {string} code the TV's, or empty @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Returns what to show of an error. @param {unknown} error @returns {string} */
export const errorMessage = (error) =>
  error instanceof Error ? error.message : textOf('request.noAnswer');
