/** Draws pictures in a real browser. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { BODY_STATE, PLAYER_FLAG } from '../../app/game/frame.js';
import { SMALL_SCREEN, openScreen, shareBrowser } from './browser.js';
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
    { name: 'boat', look: 'ship', color: 'owner' },
  ],
  events: [{ name: 'boom', effect: 'burst' }],
};
const PLAYED = 70;

/**
 * Makes a frame: a player on a box between two walls.
 * @param {number} x of the player @param {number} wall y of one
 * @param {Parameters<typeof makeFrame>[0]['events']} [events]
 * @param {number} [dust] radius of a disc
 */
const frame = (x, wall, events = [], dust = 9) => [
  ...makeFrame({
    events,
    players: [{ flags: PLAYER_FLAG.present | PLAYER_FLAG.alive, body: 3 }],
    bodies: [
      { id: 1, kind: 2, x: 320, y: 180, a: 260, b: 120 },
      { id: 2, kind: 1, x: 40, y: 20, a: 560, b: 4 },
      { id: 3, kind: 0, x, y: 180, a: 30, owner: 0 },
      { id: 4, kind: 1, x: 40, y: wall, a: 560, b: -4 },
      { id: 5, kind: 3, x: x + 60, y: 100, a: dust },
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
  const { save, stroke } = prototype;
  let strokes = 0;
  let changedPixels = 0;
  for (const bytes of frames) {
    strokes = changedPixels = 0;
    prototype.stroke = function count() {
      if (this.canvas === canvas) strokes++;
      return Reflect.apply(stroke, this, []);
    };
    prototype.save = function measure() {
      changedPixels = Math.max(changedPixels, this.canvas.width * this.canvas.height);
      return Reflect.apply(save, this, []);
    };
    const read = new FrameView(new Uint8Array(bytes).buffer);
    const bodies = new InterpolatedBodies();
    bodies.fill(read, read, 0);
    drawn.draw(read, bodies, 16);
    Object.assign(prototype, { save, stroke });
  }
  return { strokes, changedPixels, picture: canvas.toDataURL() };
}

const moves = Array.from({ length: PLAYED }, (_none, i) => frame(100 + i, 340));
const browser = await shareBrowser();

/** Opens a page that draws frames. @param {import('node:test').TestContext} t */
async function openPage(t) {
  const page = await openScreen(browser(t), (await startTv(t)).url, SMALL_SCREEN);
  return (/** @type {number[][]} */ ...frames) => page.evaluate(draw, { frames, view: VIEW });
}

/** Runs in the page: returns the width of a player's tag, in heights. @param {string} name */
async function widthOfTag(name) {
  const [marks] = ['/lib/marks.js'];
  const { NameTags } = await import(marks);
  const { prototype } = CanvasRenderingContext2D;
  const { drawImage } = prototype;
  let width = 0;
  prototype.drawImage = (/** @type {any} */ tag) => void (width = tag.width / tag.height);
  const context = document.createElement('canvas').getContext('2d');
  const [x, y, a, state] = [[0], [0], [1], [0]];
  const tags = new NameTags();
  tags.set([name], ['#ff4d4d'], ['#ff4d4d']);
  tags.draw(context, { x, y, a, state }, [{ slot: 0, index: 0 }], { x: 0, y: 0, scale: 1 });
  prototype.drawImage = drawImage;
  return width;
}

test('the tag of a name of wide letters does not cover the picture', async (t) => {
  const tv = await startTv(t);
  const page = await openScreen(browser(t), tv.url, SMALL_SCREEN);
  const plain = await page.evaluate(widthOfTag, 'W'.repeat(14));
  // Without a font for emojis, each is four letters; other fonts have letters as wide as a sentence.
  const wide = await page.evaluate(widthOfTag, '👨‍👩‍👧‍👦'.repeat(14));
  assert.ok(plain > 8, `${plain}`);
  assert.ok(wide < 16, `${wide}`);
});

test('bodies that rest are painted once, and look as if they were painted each time', async (t) => {
  const drawAll = await openPage(t);
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

test("a player's body is drawn as it is, also when it is tiny, and when the other bodies rest", async (t) => {
  const drawAll = await openPage(t);
  const boat = (/** @type {object} */ fields) => [
    ...makeFrame({
      players: [{ flags: PLAYER_FLAG.present | PLAYER_FLAG.alive, body: 3 }],
      bodies: [
        { id: 1, kind: 2, x: 320, y: 180, a: 260, b: 120 },
        { id: 3, kind: 4, x: 300, y: 180, a: 9, owner: 0, ...fields },
      ],
    }),
  ];
  const rest = new Array(PLAYED).fill(boat({}));
  const { picture } = await drawAll(...rest);
  for (const fields of [{ angle: 64 }, { a: 12 }, { a: 2 }, { state: BODY_STATE.hit }]) {
    const changed = await drawAll(...rest, boat(fields));
    assert.notEqual(changed.picture, picture);
    assert.equal(changed.picture, (await drawAll(boat(fields))).picture, JSON.stringify(fields));
  }
});

test('bodies that rest are not painted while the picture shakes', async (t) => {
  const drawAll = await openPage(t);
  const shaken = await drawAll(...moves, frame(200, 340, [{ sequence: 0, x: 300, y: 200 }]));
  assert.equal(shaken.strokes, 1); // the ring of the effect
});

test('a new sprite changes a small canvas, because a browser without a GPU copies all of it', async (t) => {
  const drawAll = await openPage(t);
  const { changedPixels } = await drawAll(...moves, frame(200, 340, [], 14));
  assert.ok(changedPixels > 0 && changedPixels <= 512 * 512, String(changedPixels));
});
