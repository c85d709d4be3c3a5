/** A real TV with a match, and the assertions that hold after any input. */
import assert from 'node:assert/strict';
import { extent } from '../../support/extent.js';
import { openScope } from '../../support/polling.js';
import { Client, faultyGame, startTv, until } from '../../support/tv.js';

/** No client reaches the engine. A thread starts faster than a zygote. */
const ENGINE = extent('thread', 'zygote');
const ARGS = `--screen-access code --join-code BCDFG --max-matches 1 --engine ${ENGINE}`.split(' ');
/** Closed connections disappear within this time. */
const SETTLED_MS = 20_000;

/** A match that never ends and cannot be broken by a pad. */
const game = { ...faultyGame, id: 'endless', url: `${faultyGame.url}?deaf` };

export class Play {
  /** @param {import('../../../app/tv.js').Tv} tv @param {Client} ann @param {Client} screen */
  constructor(tv, ann, screen) {
    this.tv = tv;
    this.ann = ann;
    this.screen = screen;
    this.match = tv.lobby.matches[0];
    this.player = this.match.players[0];
  }

  /**
   * Opens the harness of a target that sends its inputs to a TV.
   * @template T
   * @param {(play: Play) => Promise<(inputs: T[]) => Promise<void>>} openCheck
   * @returns {Promise<import('../run-target.js').Harness<T>>}
   */
  static async openHarness(openCheck) {
    const scope = openScope();
    const tv = await startTv(scope, {
      games: [/** @type {any} */ (game)],
      args: ARGS,
      graceMs: 3_600_000, // reconnecting players keep their seats
    });
    const screen = await Client.screen(tv, { code: tv.code });
    const ann = await Client.pad(tv, { name: 'Ann' });
    scope.after(() => [ann, screen].forEach((client) => client.vanish()));
    await ann.start('endless');
    await screen.moreFrames(1);
    const play = new Play(tv, ann, screen);
    return { check: await openCheck(play), settle: () => play.settle(), close: scope.close };
  }

  /**
   * Asserts that the match is the same one, that Ann still plays in it, and that no client became the admin.
   * @param {{players?: number}} [allowed] other players who had the code
   */
  unharmed({ players = 0 } = {}) {
    const { tv, match, player } = this;
    assert.deepEqual(
      tv.lobby.matches.map(({ id }) => id),
      [match.id],
      'the matches',
    );
    assert.equal(match.restarts, 0, 'restarts of the match');
    assert.equal(match.seats.playerAt(match.seats.slotOf(player)), player, "Ann's seat");
    assert.equal(player.name, 'Ann');
    assert.ok(tv.lobby.players.all.length <= 1 + players, 'players without the code');
    assert.equal(tv.admin.sessions.count, 0, 'sessions of the admin');
    assert.equal(this.ann.closed, undefined, "Ann's connection");
    assert.deepEqual(Object.keys(Object.prototype), [], 'a prototype was changed');
  }

  /** @returns {{x: number, y: number}} Ann's stick as the game reads it */
  annInput() {
    const { seats } = this.match;
    const word = seats.wordAt(seats.slotOf(this.player));
    return { x: (word << 24) >> 24, y: (word << 16) >> 24 };
  }

  /** Waits until only the connections of Ann and the screen are left, and the match has made more frames. */
  async settle() {
    const { ann, screen, tv } = this;
    ann.messages.length = 0;
    screen.messages.length = 0;
    const { pads, screens } = tv.server.hub;
    const areAlone = () => pads.count <= 1 && screens.count <= 1 && tv.server.sockets <= 2;
    await until(areAlone, 'the end of the other connections', SETTLED_MS);
    await ann.settle();
    await screen.moreFrames(2);
  }
}
