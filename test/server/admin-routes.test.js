/** Tests that every route is for the admin only, except those that are listed as open. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { OPEN_ROUTES, listAdminRoutes, listRoutes } from '../support/routes.js';
import { faultyGame, startTv } from '../support/tv.js';

/** @type {Record<string, string>[]} */
const CLAIMS = [
  {},
  { authorization: 'Bearer x' },
  { authorization: 'Basic YWRtaW46YWRtaW4=' },
  { cookie: 'pitv=1; pitv-admin=1; session=1' },
  { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' },
];
const BODY = JSON.stringify({ target: 'main', kind: 'heap', password: 'new password', on: true });

test('the routes that need no admin exist', () => {
  const names = new Set(listRoutes().map(({ name }) => name));
  for (const name of OPEN_ROUTES) assert.ok(names.has(name), name);
});

test('each other route answers 401 without the admin, and not with the token', async (t) => {
  const tv = await startTv(t, { games: [faultyGame] });
  const routes = listAdminRoutes();
  const needed = ['packages', 'players', 'profiles', 'system', 'fleet/nodes/none/drain'];
  for (const part of needed) {
    assert.ok(
      routes.some(({ path }) => path.startsWith(`/api/${part}`)),
      part,
    );
  }
  for (const { name, method, path } of routes) {
    const body = ['POST', 'PUT'].includes(method) ? BODY : undefined;
    for (const claim of CLAIMS) {
      const headers = { 'content-type': 'application/json', origin: tv.url, ...claim };
      const answer = await fetch(`${tv.url}${path}`, { method, headers, body });
      assert.equal(answer.status, 401, `${name} with ${JSON.stringify(claim)}`);
      if (method === 'HEAD') continue;
      const { error } = await answer.json();
      assert.equal(error.code, 'PITV_ADMIN_ONLY', name);
    }
  }
  const authorization = `Bearer ${tv.admin.token}`;
  for (const { name, path } of routes.filter(({ method }) => method === 'GET')) {
    const { status } = await fetch(`${tv.url}${path}`, { headers: { authorization } });
    assert.notEqual(status, 401, name);
  }
});
