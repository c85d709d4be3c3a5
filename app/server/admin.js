/**
 * Who is the admin: whoever shows the admin token (scripts) or has the cookie of a session (the admin
 * page). Everything that is for admins asks here.
 */
import { PitvError } from '../errors.js';
import { sameSecret } from '../lobby/tokens.js';

/** The owner of what the admin starts. */
export const ADMIN = 'admin';

/** Methods that change nothing: RFC 9110, 9.2.1. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** @typedef {import('express').Request} Request */

/** @param {Request} request @returns {string} the bearer token, or empty */
export function bearer(request) {
  return /^Bearer ([\x21-\x7e]{1,256})$/.exec(request.get('authorization') ?? '')?.[1] ?? '';
}

/** @param {Request} request @param {string} name @returns {string} empty when there is none */
function cookieOf(request, name) {
  for (const pair of (request.get('cookie') ?? '').split(';')) {
    const [key, value = ''] = pair.trim().split('=', 2);
    if (key === name) return value;
  }
  return '';
}

/**
 * A browser says from which page a request that changes something comes; whether that page may is
 * checked for all requests (origins.js). The cookie alone is sent by pages of other ports as well.
 * @param {Request} request
 * @throws {PitvError} PITV_ORIGIN
 */
export function needOrigin(request) {
  if (request.get('origin') === undefined) {
    throw new PitvError(
      'PITV_ORIGIN',
      'A browser has to say from which page this comes (Origin); scripts use the admin token.',
    );
  }
}

export class AdminCheck {
  /** @param {import('../admin/access.js').AdminAccess} access */
  constructor(access) {
    this.access = access;
  }

  /**
   * @param {Request} request
   * @returns {Promise<{by: 'token' | 'session', session?: string} | undefined>} undefined: not the admin
   * @throws {PitvError} PITV_ORIGIN: a session's request to change something, without an Origin
   */
  async of(request) {
    const { token, password, sessions } = this.access;
    if (sameSecret(bearer(request), token)) return { by: 'token' };
    const cookie = cookieOf(request, sessions.cookieName);
    const record = cookie ? await password.current() : undefined;
    const session = record && sessions.check(cookie, record);
    if (!session) return undefined;
    if (!SAFE.has(request.method)) needOrigin(request);
    return { by: 'session', session };
  }

  /** @type {import('express').RequestHandler} lets only admins pass */
  only = async (request, _response, next) => {
    if (!(await this.of(request))) {
      throw new PitvError('PITV_ADMIN_ONLY', 'This needs the admin: log in, or show the token.');
    }
    next();
  };
}
