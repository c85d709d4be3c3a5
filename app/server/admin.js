/** Checks whether a request is from the admin: scripts send the admin token, the admin page a session's cookie. */
import { PitvError } from '../errors.js';
import { sameSecret } from '../lobby/tokens.js';

/** Owner of the matches that the admin starts. */
export const ADMIN = 'admin';

/** Methods that change nothing (RFC 9110, section 9.2.1). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * @typedef {import('express').Request} Request
 * @typedef {{by: 'token' | 'session', session?: string}} Identity
 */

/** Returns the bearer token of a request. @param {Request} request @returns {string} empty without one */
export function bearerToken(request) {
  return /^Bearer ([\x21-\x7e]{1,256})$/.exec(request.get('authorization') ?? '')?.[1] ?? '';
}

/** Returns the value of a cookie. @param {Request} request @param {string} name @returns {string} empty without one */
function cookieOf(request, name) {
  for (const pair of (request.get('cookie') ?? '').split(';')) {
    const [key, value = ''] = pair.trim().split('=', 2);
    if (key === name) return value;
  }
  return '';
}

/**
 * Requires an Origin header, which origins.js checks. Browsers send one with each request that changes something. The
 * cookie alone proves nothing, because browsers also send it with requests of pages on other ports.
 * @param {Request} request
 * @throws {PitvError} PITV_ORIGIN
 */
export function requireOrigin(request) {
  if (request.get('origin') === undefined) {
    throw new PitvError(
      'PITV_ORIGIN',
      'The request has no Origin header, which browsers send. Scripts must send the admin token instead.',
    );
  }
}

export class AdminCheck {
  /**
   * @param {import('../admin/access.js').AdminAccess} access
   * @param {(request: Request) => string} addressOf the client's address
   */
  constructor(access, addressOf) {
    this.access = access;
    this.addressOf = addressOf;
  }

  /**
   * Tells how a request is authenticated. Remembers the address of the admin.
   * @param {Request} request
   * @returns {Promise<Identity | undefined>} undefined if it is not from the admin
   * @throws {PitvError} PITV_ORIGIN if a session's request that changes something has no Origin header
   */
  async identify(request) {
    const identity = await this.#authenticate(request);
    if (identity) this.access.remember(this.addressOf(request));
    return identity;
  }

  /** @param {Request} request @returns {Promise<Identity | undefined>} */
  async #authenticate(request) {
    const { token, password, sessions } = this.access;
    if (sameSecret(bearerToken(request), token)) return { by: 'token' };
    const cookie = cookieOf(request, sessions.cookieName);
    const record = cookie ? await password.current() : undefined;
    const session = record && sessions.check(cookie, record);
    if (!session) return undefined;
    if (!SAFE.has(request.method)) requireOrigin(request);
    return { by: 'session', session };
  }

  /** Refuses requests that are not from the admin. @type {import('express').RequestHandler} */
  authorize = async (request, _response, next) => {
    if (!(await this.identify(request))) {
      throw new PitvError(
        'PITV_ADMIN_ONLY',
        'Only the admin may do this. Log in, or send the admin token.',
      );
    }
    next();
  };
}
