/**
 * Checks whether a request is from the admin: scripts send the admin token, the admin page a session's cookie. Serves
 * /api/admin: login, logout, and changes of the password.
 */
import { SESSION_MS } from '../admin/sessions.js';
import { PitvError } from '../errors.js';
import { sameSecret } from '../lobby/tokens.js';
import { express, jsonBody, noStore } from './express.js';

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
 * @param {Request} request @throws {PitvError} PITV_ORIGIN
 */
function requireOrigin(request) {
  if (request.get('origin') === undefined) {
    const sentence =
      'The request has no Origin header, which browsers send. Scripts must send the admin token instead.';
    throw new PitvError('PITV_ORIGIN', sentence);
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
   * @param {Request} request @returns {Promise<Identity | undefined>} undefined if it is not from the admin
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
      const sentence = 'Only the admin may do this. Log in, or send the admin token.';
      throw new PitvError('PITV_ADMIN_ONLY', sentence);
    }
    next();
  };
}

/** Makes the router of /api/admin. @param {AdminCheck} admin @returns {import('express').Router} */
export function loginRouter(admin) {
  const router = express.Router();
  const { access, addressOf } = admin;
  router.use(noStore);

  router.get('/session', async (request, response) => {
    const [identity, record] = await Promise.all([
      admin.identify(request),
      access.password.current(),
    ]);
    response.json({ admin: !!identity, by: identity?.by ?? null, passwordSet: !!record });
  });

  router.post('/login', jsonBody, async (request, response) => {
    requireOrigin(request);
    const password = textOf(request, 'password');
    setCookie(request, response, await access.login(password, addressOf(request)));
    response.status(204).end();
  });

  router.post('/logout', async (request, response) => {
    const identity = await admin.identify(request);
    if (identity?.session) access.sessions.end(identity.session);
    await access.sessions.saved(); // so that the session stays ended after a power cut
    response.clearCookie(access.sessions.cookieName, cookieOptions(request));
    response.status(204).end();
  });

  router.post('/password', jsonBody, async (request, response) => {
    const identity = await admin.identify(request);
    if (!identity) {
      const sentence =
        'Only the admin may set the password. Log in, or give the admin token of the TV.';
      throw new PitvError('PITV_ADMIN_ONLY', sentence);
    }
    const password = textOf(request, 'password');
    // A session alone is not enough, so that a browser left logged in cannot be used to lock the admin out.
    if (identity.by === 'session') {
      await access.checkPassword(textOf(request, 'current'), addressOf(request));
    }
    const cookie = await access.setPassword(password, addressOf(request));
    await access.sessions.saved();
    if (request.get('origin') !== undefined) setCookie(request, response, cookie);
    response.status(204).end();
  });

  /** @param {Request} request @param {import('express').Response} response @param {string} value */
  function setCookie(request, response, value) {
    const options = { ...cookieOptions(request), maxAge: SESSION_MS };
    response.cookie(access.sessions.cookieName, value, options);
  }
  return router;
}

/** @param {Request} request @returns {import('express').CookieOptions} */
function cookieOptions(request) {
  // With the TV's own TLS, or behind a proxy with TLS.
  const secure = request.secure || (request.get('origin') ?? '').startsWith('https:');
  return { httpOnly: true, sameSite: 'strict', path: '/', secure };
}

/** Returns a text in a body. @param {Request} request @param {string} name @throws {PitvError} PITV_BODY_INVALID */
function textOf({ body }, name) {
  if (typeof body?.[name] === 'string') return body[name];
  const sentence = `The body must be a JSON object with a string "${name}".`;
  throw new PitvError('PITV_BODY_INVALID', sentence);
}
