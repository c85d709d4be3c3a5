/** Players at the screen without a phone: up to two on a keyboard, and one for each gamepad. */
import { Connection } from '../lib/connection.js';
import { loadItem, saveItem, toast } from '../lib/dom.js';
import { InputSender } from '../lib/input-sender.js';
import { keyLetter } from '../lib/keys.js';
import { text as textOf } from '../lib/language.js';
import { errorText } from '../lib/reports.js';
import { hasKey, readKeyboard } from '../lib/stick.js';
import { KEYBOARDS, readGamepad } from './local-devices.js';

const MAX_PLAYERS = 4;
/** Interval in which gamepads are looked for while there is none. */
const SEARCH_MS = 500;

/** @typedef {import('../lib/types.js').MatchId} MatchId */
/** @typedef {import('../lib/keys.js').RemoteKey | 'ok'} NavigationKey */

/** The devices of the players, for a reload of the page. */
const ITEM = 'pitv.screen.devices';

/** How each keyboard is used, shown when its player joins. */
const KEYBOARD_HINTS = /** @type {const} */ (['local.arrows', 'local.letters']);

const RELEASED = Object.freeze(readGamepad({ axes: [], buttons: [] }));

/**
 * A player without a phone. It has a connection of its own, like a phone, so that the TV's limits on players and
 * connections apply.
 */
class LocalPlayer {
  /** The match that it plays. @type {MatchId | null} */
  match = null;
  #isAdmitted = false;
  #connection;
  #sender = new InputSender((bytes) => this.match === null || this.#connection.sendBytes(bytes));
  /** Whether buttons count as released until they are. */
  #muted = false;

  /**
   * @param {object} options
   * @param {string} options.device identifies keyboard or gamepad; the browser remembers its player
   * @param {string} options.name
   * @param {() => string} options.code returns the join code
   * @param {(me: {name: string, match: MatchId | null}) => void} options.onWelcome
   * @param {(error?: {code: string, message: string}) => void} options.onEnd called when the TV does not admit it, or
   *   has removed it
   * @param {(ms: number) => void} [options.rumble]
   */
  constructor(options) {
    const item = `pitv.screen.player.${options.device}`;
    this.#connection = new Connection({
      hello: () => {
        const token = loadItem(item) ?? undefined;
        return { role: 'pad', code: options.code(), name: options.name, token };
      },
      handlers: {
        welcome: ({ token }) => saveItem(item, token),
        lobby: ({ me }) => {
          if (me.match === null) this.match = null;
          if (!this.#isAdmitted) options.onWelcome(me);
          this.#isAdmitted = true;
        },
        match: ({ match }) => {
          if (this.match !== match) this.mute();
          this.match = match;
        },
        ended: () => (this.match = null),
        rumble: ({ ms }) => options.rumble?.(ms),
        error: (error) => {
          if (this.#connection.state === 'open') return toast(errorText(error), 'error');
          this.#connection.close();
          return options.onEnd(error);
        },
      },
      onDismissed: () => options.onEnd(),
    });
    this.#connection.open();
  }

  /** Joins a running match. @param {MatchId} match */
  join(match) {
    this.#connection.send({ t: 'join', match });
  }

  /** Sets the input. @param {{x: number, y: number, buttons: number}} input axes -127..127 */
  input({ x, y, buttons }) {
    if (buttons === 0) this.#muted = false;
    if (this.match !== null) this.#sender.update(x, y, this.#muted ? 0 : buttons);
  }

  /** Releases everything. Buttons that are held then count only after they were released. */
  mute() {
    this.#sender.release();
    this.#muted = true;
  }

  /** Leaves the match and the TV. */
  leave() {
    this.#connection.send({ t: 'leave' });
    this.close();
  }

  /** Closes the connection. The TV keeps the player and the seat for a while. */
  close() {
    this.#connection.close();
  }
}

/**
 * Lets players join at the screen.
 * @param {object} options
 * @param {() => string} options.code returns the join code; '' while nobody can join
 * @param {() => MatchId | null} options.watched returns the shown match, null in the lobby
 * @param {() => boolean} options.covered returns whether a menu or a list covers the match
 * @param {(key: NavigationKey) => void} options.navigate called for keys of gamepads outside a match
 */
export function setUpLocalPlayers({ code, watched, covered, navigate }) {
  /** By device. @type {Map<string, LocalPlayer>} */
  const players = new Map();
  /** Codes of the held keys. @type {Set<string>} */
  const held = new Set();
  /** By index of the gamepad. @type {Map<number, ReturnType<typeof readGamepad>>} */
  const states = new Map();
  const before = (loadItem(ITEM, 'sessionStorage') ?? '').split(',');
  document.addEventListener('keydown', (event) => onKey(event, true), { capture: true });
  document.addEventListener('keyup', (event) => onKey(event, false), { capture: true });
  addEventListener('blur', release);
  document.addEventListener('visibilitychange', release);
  poll();

  function isPlaying() {
    return watched() !== null && !covered();
  }

  function release() {
    held.clear();
    for (const player of players.values()) player.mute();
  }

  /** @param {KeyboardEvent} event @param {boolean} down */
  function onKey(event, down) {
    if (down && (event.ctrlKey || event.altKey || event.metaKey)) return;
    const letter = down && !event.repeat ? keyLetter(event) : '';
    const number = Number(letter) - 1;
    if (letter && KEYBOARDS[number]) {
      const device = `keyboard-${number}`;
      return players.has(device) ? leave(device) : joinKeyboard(number);
    }
    const key = event.code || event.key; // a remote gives no code
    if (down) held.add(key);
    else held.delete(key);
    const playing = isPlaying();
    for (const [i, keyboard] of KEYBOARDS.entries()) {
      const player = players.get(`keyboard-${i}`);
      if (!player || !hasKey(keyboard, key)) continue;
      if (!playing || player.match === null) {
        player.mute();
        continue;
      }
      player.input(readKeyboard(keyboard, held));
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  }

  /** @param {number} number */
  function joinKeyboard(number) {
    const device = `keyboard-${number}`;
    const name = textOf('local.keyboard', { number: number + 1 });
    return joinAs(device, name, textOf(KEYBOARD_HINTS[number]));
  }

  /** @param {string} device @param {string} name @param {string} hint @param {(ms: number) => void} [rumble] */
  function joinAs(device, name, hint, rumble) {
    if (code() === '') return;
    if (players.size >= MAX_PLAYERS) {
      return toast(textOf('local.full', { count: MAX_PLAYERS }), 'error');
    }
    const player = new LocalPlayer({
      device,
      name,
      code,
      rumble,
      onWelcome: (me) => {
        toast(`${me.name}: ${hint}`);
        const match = watched();
        if (match !== null && me.match === null) player.join(match); // otherwise it is back in its own
      },
      onEnd: (error) => {
        if (players.get(device) === player) remove(device);
        if (error) toast(errorText(error), 'error');
      },
    });
    players.set(device, player);
    save();
  }

  /** @param {string} device */
  function leave(device) {
    players.get(device)?.leave();
    remove(device);
  }

  /** @param {string} device */
  function remove(device) {
    players.delete(device);
    save();
  }

  function save() {
    saveItem(ITEM, [...players.keys()].join(), 'sessionStorage');
  }

  /** Reads the gamepads, at each picture while there are any. After a reload, keyboards join again by themselves. */
  function poll() {
    const again = code() === '' ? [] : before.splice(0);
    for (const i of KEYBOARDS.keys()) {
      const device = `keyboard-${i}`;
      if (again.includes(device) && !players.has(device)) joinKeyboard(i);
    }
    const gamepads = [...(navigator.getGamepads?.() ?? [])].filter((each) => each?.connected);
    for (const gamepad of gamepads) if (gamepad) read(gamepad);
    for (const index of states.keys()) {
      if (gamepads.some((each) => each?.index === index)) continue;
      states.delete(index);
      players.get(`gamepad-${index}`)?.close(); // its battery may be empty
      remove(`gamepad-${index}`);
    }
    if (gamepads.length > 0) requestAnimationFrame(poll);
    else setTimeout(poll, SEARCH_MS);
  }

  /** @param {Gamepad} gamepad */
  function read(gamepad) {
    const { index } = gamepad;
    const device = `gamepad-${index}`;
    const state = readGamepad(gamepad);
    const before = states.get(index) ?? RELEASED;
    states.set(index, state);
    const pressed = (/** @type {'a' | 'b' | 'menu' | 'leave'} */ name) =>
      state[name] && !before[name];
    const player = players.get(device);
    if (!player) {
      if (!pressed('a') && !pressed('menu')) return;
      const name = textOf('local.gamepad', { number: index + 1 });
      return joinAs(device, name, textOf('local.gamepad.hint'), (ms) => rumble(gamepad, ms));
    }
    if (pressed('leave')) return leave(device);
    if (!isPlaying()) {
      player.mute();
      if (state.arrow && state.arrow !== before.arrow) navigate(state.arrow);
      if (pressed('a')) navigate('ok');
      if (pressed('b')) navigate('back');
      if (pressed('menu')) navigate('play');
      return undefined;
    }
    if (pressed('menu')) return navigate('red');
    const match = watched();
    if (player.match === null && match !== null && pressed('a')) player.join(match);
    return player.input(state);
  }
}

/** Vibrates. Not every browser and gamepad can. @param {Gamepad} gamepad @param {number} ms */
function rumble({ vibrationActuator }, ms) {
  const effect = { duration: ms, strongMagnitude: 0.7, weakMagnitude: 0.7 };
  vibrationActuator?.playEffect?.('dual-rumble', effect).catch(() => {});
}
