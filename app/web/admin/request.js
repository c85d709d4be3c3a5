/**
 * Requests of the admin page. Who has logged in is known by a cookie that scripts cannot see.
 * @param {string} path
 * @param {RequestInit & {json?: unknown}} [options] json: becomes the body
 * @returns {Promise<Response>}
 * @throws {RequestError} with the server's own sentence
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
  const { code = '', message = `The TV answered ${response.status}.` } = answer?.error ?? {};
  throw new RequestError(code, message);
}

export class RequestError extends Error {
  /** @param {string} code the TV's, or empty @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
