import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import test from 'node:test';
import { decodeHeader } from '../../app/game/frame.js';
import { Client } from '../support/tv.js';
import { DevChild } from './dev-child.js';

const OPEN = ['--engine', 'thread', '--untrusted-games', 'open'];

/** @param {Client} screen @returns {number} tick of its newest frame */
const tickOf = ({ frame }) => (frame ? decodeHeader(new Uint8Array(frame)).tick : 0);

/** @param {any} problem @returns {string} the line of the error */
const lineOf = ({ source: { line, lines } }) =>
  lines.find((/** @type {{number: number}} */ { number }) => number === line).text;

test('a saved file continues the match, an error is shown with its source, another layout begins again', async (t) => {
  const dev = await DevChild.start(t, { args: OPEN });
  const screen = await Client.screen(/** @type {any} */ (dev));
  const first = await screen.next('watch', ({ match }) => match !== null);
  await screen.until(() => tickOf(screen) > 60, 'the match runs');

  const before = tickOf(screen);
  dev.edit((source) =>
    source
      .replace(/background: '#\w+'/, "background: '#123456'")
      .replace(
        'function steer(flow) {',
        "$&\n  if (flow.tick % 60 === 0) console.log('wrote', 1n);",
      ),
  );
  const second = await screen.next('watch', ({ version }) => version !== first.version);
  assert.equal(second.match, first.match);
  await screen.next('dev', ({ reload }) => reload?.how === 'continued');
  const game = await (await fetch(`${dev.url}/api/matches/${first.match}/game`)).json();
  assert.equal(game.view.background, '#123456');
  await screen.next('dev', ({ output }) => output.includes('wrote 1n'));
  await screen.moreFrames(2);
  assert.ok(tickOf(screen) >= before, `tick ${tickOf(screen)} after ${before}`);

  dev.edit((source) => `${source}\nfoo bar\n`);
  const { problem: typo } = await screen.next('dev', ({ problem }) => problem);
  assert.match(typo.sentence, /^game\.js cannot be loaded: SyntaxError: /);
  assert.equal(typo.source.file, 'game.js');
  assert.equal(lineOf(typo), 'foo bar');
  assert.equal(typo.plays, true);
  await screen.moreFrames(5);

  dev.edit((source) =>
    source
      .replace('\nfoo bar\n', '')
      .replace('function steer(flow) {', 'function steer(flow) {\n  missing(flow);'),
  );
  const { problem: thrown } = await screen.next('dev', ({ problem }) =>
    problem?.sentence.includes('missing'),
  );
  assert.match(thrown.sentence, /ReferenceError: missing is not defined \(game\.js:\d+\)\.$/);
  assert.equal(lineOf(thrown), '  missing(flow);');
  assert.equal(thrown.plays, true);
  await screen.next('watch', ({ version }) => version === second.version);
  await screen.moreFrames(5);

  dev.edit((source) => source.replace('  missing(flow);', '  while (flow.round > 0);'));
  const { problem: loop } = await screen.next(
    'dev',
    ({ problem }) => problem?.source?.line && problem.sentence.includes('return'),
  );
  assert.match(loop.sentence, /: a tick does not return \(game\.js:\d+\)\.$/);
  assert.equal(lineOf(loop), '  while (flow.round > 0);');
  await screen.moreFrames(5);

  dev.edit((source) =>
    source
      .replace('  while (flow.round > 0);', '  flow.world.kind[0] = 99;')
      .replace(/state: \(\) => \(\{ star: 1/, 'state: () => ({ star: 2'),
  );
  await screen.next('ended', ({ match }) => match === first.match);
  const other = await screen.next('watch', ({ match }) => match && match !== first.match);
  assert.notEqual(other.version, second.version);
  // A busy machine adds a warning of a slow tick.
  const isOfKind = (/** @type {string} */ text) =>
    /tick \d+: .*99.* A kind must be an index into view\.kinds\./.test(text);
  await screen.next('dev', ({ warnings }) => warnings.some(isOfKind));
  dev.edit((source) => source.replace('flow.world.kind[0] = 99;', 'flow.world.x[0] = NaN;'));
  const isNotFinite = (/** @type {string} */ text) => text.includes('must be a finite number');
  await screen.next('dev', ({ warnings }) => warnings.some(isNotFinite));
  dev.edit((source) => source.replace('  flow.world.x[0] = NaN;', ''));
  await screen.next('ended', ({ match }) => match === other.match); // NaN stays in its state
  const { report } = await screen.next('dev', (state) => state.report);
  assert.ok(report.ticks > 0 && report.bodies > 0 && report.frameBytes > 0);
  assert.equal(report.boards.length, 3);

  assert.equal(await dev.stop(), 0);
  for (const line of ['runs', 'continues with the new version', 'begins again']) {
    assert.ok(dev.output.includes(`Star rush ${line}`), dev.output);
  }
  assert.match(dev.output, /^\| wrote 1n$/m);
  assert.deepEqual(readdirSync(dirname(dev.folder)), ['star-rush'], 'its data directory is gone');
});
