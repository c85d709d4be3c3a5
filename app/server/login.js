/** /api/admin: logging in and out, and setting the password. */
import express from 'express';
import { SESSION_MS } from '../admin/sessions.js';
import { PitvError } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { needOrigin } from './admin.js';

/**
 * @param {import('./admin.js').AdminCheck} admin
 * @param {(request: import('express').Request) => string} addressOf the client's address
 * @returns {import('express').Router}
 */
export function loginRouter(admin, addressOf) {
  const router = express.Router();
  const { access } = admin;
  const json = express.json({ limit: LIMITS.bodyBytes.value });
  router.use((_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });

  router.get('/session', async (request, response) => {
    const [who, record] = await Promise.all([admin.of(request), access.password.current()]);
    response.json({ admin: !!who, by: who?.by ?? null, passwordSet: !!record });
  });

  router.post('/login', json, async (request, response) => {
    needOrigin(request);
    const { password } = textsOf(request, 'password');
    setCookie(request, response, await access.login(password, addressOf(request)));
    response.status(204).end();
  });

  router.post('/logout', async (request, response) => {
    const who = await admin.of(request);
    if (who?.session) access.sessions.end(who.session);
    await access.sessions.saved(); // or a TV that is switched off now would know it again
    response.clearCookie(access.sessions.cookieName, cookieOptions(request));
    response.status(204).end();
  });

  router.post('/password', json, async (request, response) => {
    const who = await admin.of(request);
    if (!who) throw new PitvError('PITV_ADMIN_ONLY', 'This needs the admin token of the TV.');
    const { password } = textsOf(request, 'password');
    // Whoever finds an open browser must not be able to lock the admin out.
    if (who.by === 'session') {
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
  // With TLS of our own, or behind a proxy that does TLS.
  const secure = request.secure || (request.get('origin') ?? '').startsWith('https:');
  return { httpOnly: true, sameSite: 'strict', path: '/', secure };
}

/**
 * @param {import('express').Request} request @param {...string} names of texts in its body
 * @returns {Record<string, string>}
 * @throws {PitvError} PITV_BODY_INVALID
 */
function textsOf({ body }, ...names) {
  for (const name of names) {
    if (typeof body?.[name] !== 'string') {
      throw new PitvError('PITV_BODY_INVALID', `The body has to be JSON with a text "${name}".`);
    }
  }
  return body;
}
