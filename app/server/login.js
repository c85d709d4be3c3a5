/** /api/admin: login, logout, and changes of the password. */
import { SESSION_MS } from '../admin/sessions.js';
import { PitvError } from '../errors.js';
import { requireOrigin } from './admin.js';
import { express, jsonBody, noStore } from './express.js';

/**
 * Makes the router of /api/admin.
 * @param {import('./admin.js').AdminCheck} admin
 * @param {(request: import('express').Request) => string} addressOf the client's address
 * @returns {import('express').Router}
 */
export function loginRouter(admin, addressOf) {
  const router = express.Router();
  const { access } = admin;
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
    const { password } = textsOf(request, 'password');
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
      throw new PitvError(
        'PITV_ADMIN_ONLY',
        'Only the admin may set the password. Log in, or give the admin token of the TV.',
      );
    }
    const { password } = textsOf(request, 'password');
    // A session alone is not enough, so that a browser left logged in cannot be used to lock the admin out.
    if (identity.by === 'session') {
      const { current } = textsOf(request, 'current');
      await access.checkPassword(current, addressOf(request));
    }
    const cookie = await access.setPassword(password, addressOf(request));
    await access.sessions.saved();
    if (request.get('origin') !== undefined) setCookie(request, response, cookie);
    response.status(204).end();
  });

  /** @param {import('express').Request} request @param {import('express').Response} response @param {string} value */
  function setCookie(request, response, value) {
    const options = { ...cookieOptions(request), maxAge: SESSION_MS };
    response.cookie(access.sessions.cookieName, value, options);
  }
  return router;
}

/** @param {import('express').Request} request @returns {import('express').CookieOptions} */
function cookieOptions(request) {
  // With the TV's own TLS, or behind a proxy with TLS.
  const secure = request.secure || (request.get('origin') ?? '').startsWith('https:');
  return { httpOnly: true, sameSite: 'strict', path: '/', secure };
}

/**
 * Returns the body of a request after checking that fields are strings.
 * @param {import('express').Request} request @param {...string} names of the fields
 * @returns {Record<string, string>}
 * @throws {PitvError} PITV_BODY_INVALID
 */
function textsOf({ body }, ...names) {
  for (const name of names) {
    if (typeof body?.[name] !== 'string') {
      throw new PitvError(
        'PITV_BODY_INVALID',
        `The body must be a JSON object with a string "${name}".`,
      );
    }
  }
  return body;
}
