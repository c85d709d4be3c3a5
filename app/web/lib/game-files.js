/** Loads the pictures and sounds of a game's own. */
import { tvUrl } from './request.js';

/** @param {{id: string, version: string}} game @param {string} name FOLDER/FILE */
function gameFileUrl({ id, version }, name) {
  const [folder, file] = name.split('/');
  return tvUrl(`/${[folder, id, version, file].map(encodeURIComponent).join('/')}`);
}

/** Pictures by the name that a kind has. @typedef {Map<string, HTMLImageElement>} Pictures */

/**
 * Loads the pictures of a game. Until they are there, and where they cannot be loaded, bodies have their looks.
 * @param {import('./types.js').Game} game
 * @returns {Promise<Pictures>} without those that cannot be loaded
 */
export async function loadPictures(game) {
  const names = new Set(game.view.kinds.map(({ picture }) => picture));
  /** @type {Pictures} */
  const pictures = new Map();
  await Promise.all(
    [...names].map(async (name) => {
      if (!name) return;
      const picture = await loadImage(gameFileUrl(game, name));
      if (picture) pictures.set(name, picture);
    }),
  );
  return pictures;
}

/** @param {string} url @returns {Promise<HTMLImageElement | null>} */
async function loadImage(url) {
  const image = new Image();
  if (!url.startsWith('/')) image.crossOrigin = 'anonymous'; // another TV's, drawn on a canvas
  image.src = url;
  return image.decode().then(
    () => image,
    () => null,
  );
}

/** The sounds of a game. They are loaded before they are played, and decoded at their first play. */
export class Samples {
  /** By the name that an event has. @type {Map<string, Promise<ArrayBuffer | null>>} */
  #files = new Map();
  /** @type {Map<string, AudioBuffer>} */
  #decoded = new Map();

  /** Loads the sounds of a game, and forgets those of the last one. @param {import('./types.js').Game} game */
  load(game) {
    this.#decoded.clear();
    this.#files.clear();
    for (const { sound = '' } of game.view.events) {
      if (sound.includes('/')) this.#files.set(sound, loadFile(gameFileUrl(game, sound)));
    }
  }

  /** Whether a sound is one of the game's own. @param {string} name */
  has(name) {
    return this.#files.has(name);
  }

  /**
   * Returns a sound.
   * @param {AudioContext} context @param {string} name
   * @returns {Promise<AudioBuffer | null>} null if it cannot be loaded or decoded
   */
  async get(context, name) {
    const known = this.#decoded.get(name);
    if (known) return known;
    const file = this.#files.get(name);
    const bytes = await file;
    if (!bytes) return null;
    const buffer = await decode(context, bytes.slice(0)).catch(() => null);
    if (buffer && this.#files.get(name) === file) this.#decoded.set(name, buffer);
    return buffer;
  }
}

/** Loads a file. @param {string} url @returns {Promise<ArrayBuffer | null>} null if it cannot be loaded */
export async function loadFile(url) {
  const response = await fetch(url).catch(() => null);
  return response?.ok ? response.arrayBuffer().catch(() => null) : null;
}

/**
 * Decodes a file. Safari before 14.1 returns no promise.
 * @param {AudioContext} context @param {ArrayBuffer} bytes @returns {Promise<AudioBuffer>}
 */
const decode = (context, bytes) =>
  new Promise((resolve, reject) => void context.decodeAudioData(bytes, resolve, reject));
