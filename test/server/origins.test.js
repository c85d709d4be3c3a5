import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import test from 'node:test';
import { originCheck } from '../../app/server/origins.js';

const check = originCheck({ publicUrl: '', allowedOrigin: [], host: '0.0.0.0', tlsCert: '' });
const LOCAL = ['10.0.0.7:8080', 'localhost', '127.0.0.1:1', '[fd00::7]:8080', 'pitv.local', 'pitv'];

test("the TV's own pages, and requests without an Origin, are allowed under any local address or name", () => {
  for (const host of [...LOCAL, 'pitv.fritz.box', 'pitv.home.arpa', `${hostname()}:80`]) {
    assert.ok(check({ host }), host);
    assert.ok(check({ host, origin: `http://${host}` }), host);
  }
  assert.ok(check({}), 'without a Host');
  assert.ok(check({ host: 'pitv.local', origin: 'http://pitv.local:80' }), 'the default port');
  assert.ok(check({ host: 'PITV.local', origin: 'http://pitv.local' }));
});

test('pages of other origins, malformed headers, and public names that resolve to the TV are refused', () => {
  for (const [host, origin] of [
    ['10.0.0.7:8080', 'http://evil.example'],
    ['10.0.0.7:8080', 'http://10.0.0.7:8081'],
    ['10.0.0.7:8080', 'http://10.0.0.7'],
    ['10.0.0.7:8080', 'null'],
    ['10.0.0.7:8080', ''],
    ['pitv.local', 'http://evil.pitv.local'],
    ['pitv.local', 'http://pitv.local.evil.example'],
    [undefined, 'http://pitv.local'],
    ['x'.repeat(10_000), 'http://pitv.local'],
  ]) {
    assert.ok(!check({ host, origin }), `${origin} at ${host?.slice(0, 20)}`);
  }
  const malformed = ['[', 'a b', ':', '\u0000', '@', '/'];
  const named = ['evil.example:8080', 'evil.example.', 'evil-local.example', 'notlocal.com.'];
  for (const host of [...malformed, ...named]) {
    for (const origin of [undefined, 'http://pitv.local', `http://${host}`]) {
      assert.ok(!check({ host, origin }), `${origin} at ${host}`);
    }
  }
});

test('origins of --public-url and --allowed-origin are allowed', () => {
  const allowedOrigin = ['http://a.example'];
  const own = { publicUrl: 'https://tv.example', host: 'listening.example', tlsCert: '' };
  const open = originCheck({ ...own, allowedOrigin });
  assert.ok(open({ host: 'tv.example', origin: 'https://tv.example' }));
  assert.ok(open({ host: 'inner:8080', origin: 'https://tv.example' }), 'behind a proxy');
  assert.ok(open({ host: '10.0.0.7', origin: 'http://a.example' }));
  for (const host of ['tv.example', 'TV.example:443', 'a.example', 'listening.example:8080']) {
    assert.ok(open({ host }), host);
  }
  assert.ok(open({ host: 'listening.example:1', origin: 'http://listening.example:1' }));
  assert.ok(!open({ host: 'b.example' }));
  assert.ok(!open({ host: '10.0.0.7', origin: 'https://a.example' }));
});
