/**
 * A client that runs in the board: `node inside.mjs [URL]`. It fetches the page, joins as two players and plays a
 * match of Bumper: Ann drives off the edge, Ben does nothing. It prints the results as a line of JSON. It has no
 * imports from the project, because it is copied to the card as a single file.
 */
import { createRequire } from 'node:module';

const { WebSocket } = createRequire('/usr/lib/pitv/app/')('ws');
const url = process.argv[2] ?? 'http://127.0.0.1';
const INPUT_MS = 200;
const FULL = 127;

/** @param {object} hello @param {(message: any) => void} onMessage */
function connect(hello, onMessage) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { perMessageDeflate: false });
  socket.on('open', () => socket.send(JSON.stringify({ t: 'hello', ...hello })));
  socket.on('error', fail);
  socket.on('message', (/** @type {Buffer} */ data, /** @type {boolean} */ isBinary) => {
    if (isBinary) frames++;
    else onMessage(JSON.parse(String(data)));
  });
  return socket;
}

/** @param {unknown} error @returns {never} */
function fail(error) {
  console.log(JSON.stringify({ failed: String(error) }));
  process.exit(1);
}

let frames = 0;
const began = performance.now();
const page = await fetch(url).catch(fail);
const text = await page.text();
const health = await (await fetch(`${url}/healthz`)).json();
const pageMs = performance.now() - began;

let started = false;
connect({ role: 'screen' }, (message) => {
  if (message.t === 'error') fail(message.message);
  if (message.t === 'lobby' && !started) {
    started = true;
    sitDown(message.code);
  }
  if (message.t === 'ended') {
    const { reason, results } = message;
    const title = /<title>(.*?)<\/title>/.exec(text)?.[1];
    const players = results.map((/** @type {any} */ one) => one.name).sort();
    console.log(JSON.stringify({ title, health, pageMs, frames, reason, players }));
    process.exit(0);
  }
});

/** @param {string} code */
function sitDown(code) {
  let seated = 0;
  let sequence = 0;
  const both = ['Ann', 'Ben'].map((name) =>
    connect({ role: 'pad', code, name }, (message) => {
      if (message.t === 'error') fail(message.message);
      if (message.t !== 'welcome' || ++seated < 2) return;
      both[0].send(JSON.stringify({ t: 'start', game: 'bumper' }));
      setInterval(() => {
        const input = Buffer.from([1, FULL, 0, 0, 0, 0, 0, 0]);
        input.writeUInt16LE(++sequence & 0xffff, 6);
        both[0].send(input);
      }, INPUT_MS);
    }),
  );
}
