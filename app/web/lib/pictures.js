/** Loads the pictures of a game. Until they are there, and where they cannot be loaded, bodies have their looks. */
import { gameFileUrl } from './tv-url.js';

/** Pictures by the name that a kind has. @typedef {Map<string, HTMLImageElement>} Pictures */

/**
 * Loads the pictures of a game.
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
function loadImage(url) {
  return new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () => resolve(null);
    if (!url.startsWith('/')) image.crossOrigin = 'anonymous'; // another TV's, drawn on a canvas
    image.src = url;
  });
}
