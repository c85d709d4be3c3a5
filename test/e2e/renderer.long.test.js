/** Draws pictures in a real browser. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { PLAYER_FLAG } from '../../app/game/frame.js';
import { SMALL_SCREEN, launchBrowser, openScreen } from './browser.js';
import { makeFrame } from '../support/frame.js';
import { startTv } from '../support/tv.js';

const VIEW = {
  width: 640,
  height: 360,
  background: '#102030',
  kinds: [
    { name: 'player', look: 'ball', color: 'owner', glow: true },
    { name: 'wall', look: 'wall', color: '#d8f5e4', glow: true },
    { name: 'grass', look: 'box', color: '#12402a' },
    { name: 'dust', look: 'disc', color: '#c0c0c0' },
  ],
  events: [],
};
const PLAYED = 70;

/** Makes a frame: a player on a box between two walls. @param {number} x of the player @param {number} wall y of one */
const frame = (x, wall) => [
  ...makeFrame({
    players: [{ flags: PLAYER_FLAG.present | PLAYER_FLAG.alive, body: 3 }],
    bodies: [
      { id: 1, kind: 2, x: 320, y: 180, a: 260, b: 120 },
      { id: 2, kind: 1, x: 40, y: 20, a: 560, b: 4 },
      { id: 3, kind: 0, x, y: 180, a: 30, owner: 0 },
      { id: 4, kind: 1, x: 40, y: wall, a: 560, b: -4 },
      { id: 5, kind: 3, x: x + 60, y: 100, a: 9 },
      { id: 6, kind: 3, x: 300, y: 90, a: 2 },
    ],
  }),
];

/** Runs in the page: draws frames one after the other. @param {{frames: number[][], view: any}} what */
async function draw({ frames, view }) {
  const [renderer, frameView] = ['/lib/renderer.js', '/lib/frame-view.js'];
  const { Renderer } = await import(renderer);
  const { FrameView, InterpolatedBodies } = await import(frameView);
  const canvas = document.createElement('canvas');
  const drawn = new Renderer(canvas, view);
  drawn.resize(640, 360, { x: 0, y: 0, width: 640, height: 360 });
  const { prototype } = CanvasRenderingContext2D;
  const { stroke } = prototype;
  let strokes = 0;
  for (const bytes of frames) {
    strokes = 0;
    prototype.stroke = function count() {
      strokes++;
      return Reflect.apply(stroke, this, []);
    };
    const read = new FrameView(new Uint8Array(bytes).buffer);
    const bodies = new InterpolatedBodies();
    bodies.fill(read, read, 1, 1);
    drawn.draw(read, bodies, 16);
    prototype.stroke = stroke;
  }
  return { strokes, picture: canvas.toDataURL() };
}

test('bodies that rest are painted once, and look as if they were painted each time', async (t) => {
  const tv = await startTv(t);
  const page = await openScreen(await launchBrowser(t), tv.url, SMALL_SCREEN);
  const drawAll = (/** @type {number[][]} */ ...frames) =>
    page.evaluate(draw, { frames, view: VIEW });
  const moves = Array.from({ length: PLAYED }, (_none, i) => frame(100 + i, 340));
  const first = await drawAll(moves[0]);
  assert.ok(first.strokes > 0);
  const [last] = moves.slice(-1);
  const rested = await drawAll(...moves);
  assert.equal(rested.strokes, 0);
  assert.equal(rested.picture, (await drawAll(last)).picture);
  const moved = frame(200, 300);
  assert.equal((await drawAll(...moves, moved)).picture, (await drawAll(moved)).picture);
  const played = await drawAll(...moves, moved, ...moves);
  assert.deepEqual(played, rested);
});
