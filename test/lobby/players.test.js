import assert from 'node:assert/strict';
import test from 'node:test';
import { cleanName } from '../../app/lobby/player-name.js';
import { Players } from '../../app/lobby/players.js';
import { PLAYER_COLORS } from '../../app/match/player-colors.js';

test('names are cleaned for the screen', () => {
  assert.equal(cleanName('  Ann \n  Lee '), 'Ann Lee');
  assert.equal(cleanName('a\u0000b\u001b[31mc'), 'a b [31mc');
  assert.equal(cleanName('\u202Eevil\u202C'), 'evil');
  assert.equal(cleanName('x'.repeat(1000)).length, 14);
  assert.equal(cleanName('Z' + '\u0351'.repeat(50)), 'Z');
  assert.equal(cleanName('Zoe\u0308'), 'Zoë');
  const family = '👨‍👩‍👧‍👦';
  assert.equal(cleanName(`Lee ${family}${'🇰🇷'.repeat(20)}`), `Lee ${family}${'🇰🇷'.repeat(9)}`);
  assert.equal(cleanName('각'.repeat(20)), '각'.repeat(14));
  // One letter for Unicode: families without end, conjuncts, old Korean syllables.
  for (const endless of [
    '👨‍'.repeat(60),
    'क्'.repeat(60),
    'ᄀ'.repeat(200),
    'ᄀ'.repeat(99) + 'ᅡ'.repeat(99),
  ]) {
    const drawn = cleanName(`A ${endless}`).match(/[^\p{M}\u200d]/gu) ?? [];
    assert.ok(drawn.length <= 14, `${drawn.length} letters`);
  }
  assert.equal(cleanName('  Jürgen   Łukasz Smith'), 'Jürgen Łukasz');
  assert.equal(cleanName('so\u00adft\u00a0 Ñandú'), 'so ft Ñandú');
  assert.equal(cleanName('👩‍👩‍👧 Mia'), '👩‍👩‍👧 Mia');
  assert.equal(cleanName('👩‍👩‍👧'.repeat(40)), '👩‍👩‍👧'.repeat(14));
  assert.equal(cleanName('\u200d\u200d'), '');
  assert.equal(cleanName('\ud800'), '');
  for (const odd of [undefined, null, 5, {}, [], '', ' \t ']) assert.equal(cleanName(odd), '');
});

test('players get a name, with a number if it is taken, and a free colour', () => {
  const players = new Players();
  const names = ['Ann', 'Ann', '', 'Ann'].map((name) => players.add(name).player.name);
  assert.deepEqual(names, ['Ann', 'Ann 2', 'Player 3', 'Ann 3']);
  assert.equal(players.add('', undefined, '플레이어').player.name, '플레이어 5');
  assert.equal(players.add('', undefined, 6).player.name, 'Player 6');
  const colors = players.all.map((player) => player.color);
  assert.deepEqual(colors, PLAYER_COLORS.slice(0, 6));
  for (let i = 6; i < 8; i++) assert.equal(players.add('').player.color, PLAYER_COLORS[i]);
  assert.equal(players.add('').player.color, PLAYER_COLORS[0], 'all are taken');
});

test('a phone that was here before gets its id again, unless somebody has it', () => {
  const players = new Players();
  const [ann, ben] = ['Ann', 'Ben'].map((name) => players.add(name));
  const about = { token: ann.token, name: 'Ann', color: PLAYER_COLORS[0] };
  assert.equal(players.add('', undefined, '', { ...about, id: ben.player.id }).player.id, 3);
  players.remove(ann.player);
  const { player } = players.add('', undefined, '', { ...about, id: ann.player.id });
  assert.deepEqual([player.id, player.name], [1, 'Ann']);
  assert.equal(players.add('').player.id, 4);
});

test('a player of another node who has the same name and colour keeps them if its id is lower', () => {
  const players = new Players();
  players.setIds(2, 100);
  const { player: own } = players.add('Ann');
  const state = { ...own, tokenHash: 'a'.repeat(64), home: 'b', connected: true };
  players.merge({ ...state, id: 101 });
  assert.deepEqual([own.name, own.color], ['Ann', PLAYER_COLORS[0]]);
  players.merge({ ...state, id: 1 });
  assert.deepEqual([own.name, own.color], ['Ann 2', PLAYER_COLORS[1]]);
});

test('only its token finds a player', () => {
  const players = new Players();
  const ann = players.add('Ann');
  const ben = players.add('Ben');
  assert.notEqual(ann.token, ben.token);
  assert.match(ann.token, /^[\w-]{22}$/, '128 bits in base64url');
  assert.equal(players.find(ann.token), ann.player);
  assert.equal(players.find(ben.token), ben.player);
  for (const odd of ['', 'x', undefined, null, 5, {}, ann.token + 'x', ann.token.slice(1)]) {
    assert.equal(players.find(odd), undefined);
  }
  assert.ok(!JSON.stringify(players.save()).includes(ann.token), 'the token itself is not saved');
});

test('an address has its own limit, and displaces only its own players', () => {
  const players = Object.assign(new Players(), { maxPerAddress: 2 });
  const [first, second] = ['', ''].map(() => players.add('', 'a').player);
  assert.throws(() => players.add('', 'a'), { code: 'PITV_PLAYERS_ADDRESS' });
  const { player: other } = players.add('', 'b');
  players.disconnect(other);
  players.disconnect(second);
  players.add('', 'a');
  const areThere = [first, second, other].map(({ id }) => players.get(id) !== undefined);
  assert.deepEqual(areThere, [true, false, true]);
});

test('a client that reconnects again and again does not displace players of others', () => {
  const players = Object.assign(new Players(), { max: 6, maxPerAddress: 4 });
  const { player: ann } = players.add('Ann', 'a');
  players.disconnect(ann);
  for (let i = 0; i < 100; i++) {
    players.disconnect(players.add('', `b${i % 2}`).player);
  }
  assert.ok(players.get(ann.id));
  assert.equal(players.all.length, 6);
});

test('the number of players is limited', () => {
  const players = Object.assign(new Players(), { max: 2 });
  players.add('');
  players.add('');
  assert.throws(() => players.add(''), { code: 'PITV_PLAYERS_FULL' });
  const [playing, idle] = players.all;
  playing.match = /** @type {any} */ ({ leave() {} });
  players.disconnect(playing);
  assert.throws(() => players.add(''), { code: 'PITV_PLAYERS_FULL' }, 'who plays is kept');
  players.disconnect(idle);
  players.add('');
  assert.equal(players.get(idle.id), undefined, 'an idle player is not');
});

test('a player is recognised after a restart by the same token', () => {
  const before = new Players();
  const { token, player } = before.add('Ann');
  before.add('Ben');
  const after = new Players();
  after.restore(JSON.parse(JSON.stringify(before.save())));
  const found = after.find(token);
  const { id, color } = player;
  assert.deepEqual(found, { ...found, id, name: 'Ann', color, connected: false });
  assert.equal(after.add('').player.id, 3, 'no id is used twice');
});

test('the id of a player who has left is not given again after a restart', () => {
  const before = new Players();
  for (const name of ['Ann', 'Ben', 'Carl']) before.add(name);
  const [, ben, carl] = before.all;
  for (const player of [ben, carl]) before.remove(player);
  const after = new Players();
  after.restore(before.save(), before.lastId);
  assert.equal(after.add('Dan').player.id, 4);
  after.restore([], 2 ** 50); // an edited file
  assert.equal(after.add('Eve').player.id, 2 ** 50 + 1);
  for (const players of [before, after]) players.close();
});

test('a saved player without a usable name or colour gets others, and only one has an id', () => {
  const players = new Players();
  const saved = { id: 2, name: ' ', color: 'url(x)', tokenHash: 'ab'.repeat(32) };
  players.restore([saved, { ...saved, name: 'twice' }]);
  assert.equal(players.all.length, 1);
  assert.equal(players.all[0].name, 'Player 2');
  assert.ok(PLAYER_COLORS.includes(players.all[0].color));
});

test('what others see of a player is reported when it changes', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const players = Object.assign(new Players(), { graceMs: 100 });
  /** @type {any[]} */
  const gone = [];
  let changes = 0;
  players.on('change', () => changes++);
  players.on('gone', (player) => gone.push(player));
  const { player } = players.add('Ann');
  const { player: other } = players.add('Ben');
  for (const name of ['Ann', ' ', undefined]) players.rename(player, name);
  players.connect(player);
  assert.equal(changes, 2);
  players.rename(player, 'Ben');
  assert.equal(player.name, 'Ben 2');
  players.disconnect(player);
  t.mock.timers.tick(99);
  players.disconnect(player); // the grace time does not begin again
  assert.deepEqual([changes, player.connected], [4, false]);
  t.mock.timers.tick(1);
  assert.deepEqual([changes, gone], [5, [player]]);
  players.disconnect(other);
  players.connect(other);
  assert.deepEqual([changes, other.connected, other.graceTimer], [7, true, undefined]);
  t.mock.timers.tick(100);
  players.remove(player);
  assert.deepEqual([changes, players.all], [7, [other]]);
  players.remove(other);
  players.disconnect(other); // its connection ends
  assert.deepEqual([changes, gone, other.connected], [8, [player, other], false]);
  assert.deepEqual([other.graceTimer, players.all], [undefined, []]);
});

test('a player of another TV is changed by it, until this one takes charge', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const players = Object.assign(new Players(), { graceMs: 100 });
  let changes = 0;
  players.on('change', () => changes++);
  const [color] = PLAYER_COLORS;
  const state = { id: 4, name: 'Ann', color, tokenHash: 'ab'.repeat(32), home: 'b' };
  const { player, wasConnected } = players.merge({ ...state, connected: true });
  assert.deepEqual([player.name, player.home, wasConnected], ['Ann', 'b', false]);
  const odd = { ...state, name: ' ', color: 'red', lastGame: 'pong', connected: false };
  assert.deepEqual(players.merge(odd), { player, wasConnected: true });
  assert.deepEqual([player.name, player.color, player.lastGame], ['Player 4', color, 'pong']);
  assert.equal(player.tokenHash.toString('hex'), state.tokenHash);
  players.disconnect(player);
  assert.deepEqual([changes, player.graceTimer], [2, undefined]);
  players.connect(player);
  assert.deepEqual([changes, player.connected, player.home], [3, true, undefined]);
  players.merge({ ...state, connected: true });
  players.connect(player);
  assert.deepEqual([changes, player.home], [5, undefined]);
  players.adopt(player);
  assert.equal(player.connected, false);
  players.merge({ ...state, connected: false });
  t.mock.timers.tick(100);
  assert.deepEqual(players.all, [player], 'its TV decides');
  players.adopt(player);
  t.mock.timers.tick(100);
  assert.deepEqual(players.all, []);
});

test('new players have ids after the newest, in steps, and known phones keep what is free', () => {
  const players = new Players();
  players.setIds(2, 10);
  const known = { token: 'x'.repeat(22), name: 'Ann', color: PLAYER_COLORS[3] };
  const { player, token } = players.add('', undefined, undefined, known);
  assert.deepEqual(
    [player.id, player.name, player.color, token],
    [2, 'Ann', PLAYER_COLORS[3], known.token],
  );
  assert.equal(players.find(token), player);
  const { player: second } = players.add('Ben', undefined, undefined, known);
  assert.deepEqual([second.id, second.name, second.color], [12, 'Ben', PLAYER_COLORS[0]]);
  const saved = { ...players.save()[0], id: 32 };
  players.restore([saved]);
  assert.deepEqual([players.get(32)?.lastGame, players.add('').player.id], [undefined, 42]);
  players.setIds(3, 10);
  assert.equal(players.add('').player.id, 43);
  const few = Object.assign(new Players(), { max: 1 });
  few.restore([saved, { ...saved, id: 33, lastGame: 'pong' }]);
  assert.equal(few.all.length, 1);
});
