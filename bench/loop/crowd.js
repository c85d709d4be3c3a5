/**
 * A crowd of clients, in a process of its own: `node crowd.js '{"url", "code", "screens", "pads",
 * "matches", "game"}'`. The screens watch, the pads play at 60 inputs a second. Tells its parent
 * 'ready' once every match runs, and how many frames have come whenever it sends something; ends when
 * the parent does.
 */
import WebSocket from 'ws';

const INPUT_MS = 1000 / 60;
let frames = 0;
/** @type {{url: string, code: string, screens: number, pads: number, matches: number, game: string}} */
const { url, code, screens, pads, matches, game } = JSON.parse(process.argv[2]);

/**
 * @param {object} hello
 * @param {(socket: WebSocket, message: any) => void} [onMessage]
 * @returns {Promise<WebSocket>} once the TV has let it in
 */
function connect(hello, onMessage) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    socket.on('open', () => socket.send(JSON.stringify({ t: 'hello', code, ...hello })));
    socket.on('error', reject);
    socket.on('close', (closeCode) => reject(new Error(`the TV has hung up: ${closeCode}`)));
    socket.on('message', (data, isBinary) => {
      if (isBinary) frames++;
      if (isBinary) return;
      const message = JSON.parse(String(data));
      if (message.t === 'welcome') resolve(socket);
      if (message.t === 'error') reject(new Error(message.message));
      onMessage?.(socket, message);
    });
  });
}

/** @param {WebSocket} socket @param {number} number */
function play(socket, number) {
  const input = Buffer.alloc(8);
  let sequence = 0;
  const timer = setInterval(() => {
    sequence++;
    input.writeUInt8(1, 0);
    input.writeInt8(((sequence * 7 + number * 31) % 255) - 127, 1);
    input.writeInt8(((sequence * 11 + number * 17) % 255) - 127, 2);
    input.writeUInt16LE(sequence & 0xffff, 6);
    socket.send(input);
  }, INPUT_MS);
  socket.on('close', () => clearInterval(timer));
}

const players = [];
for (let i = 0; i < pads; i++) {
  players.push(await connect({ role: 'pad', name: `Pad ${i}` }));
}
for (let i = 0; i < matches; i++) {
  // Whoever is idle is in, so each match has the next eight.
  const response = await fetch(`${url}/api/matches`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ game, code }),
  });
  if (!response.ok) throw new Error(`no match: ${await response.text()}`);
}
const running = (await (await fetch(`${url}/api/matches`)).json()).matches;
for (let i = 0; i < screens; i++) {
  const screen = await connect({ role: 'screen' });
  if (running.length > 0) {
    screen.send(JSON.stringify({ t: 'watch', match: running[i % running.length].id }));
  }
}
players.forEach(play);
process.send?.('ready');
process.on('message', () => process.send?.(frames));
process.on('disconnect', () => process.exit());
