const MAX_CAUSES = 3;

/**
 * Finds the place in a game's files that an error comes from.
 * @param {unknown} error @param {string} url of the game's module; its other files are in folders beside it
 * @param {number} [causes] length of the chain of causes
 * @returns {string | undefined} file and line, such as 'pong.js:12'; undefined if the stack names none
 */
export function placeOf(error, url, causes = MAX_CAUSES) {
  const folder = url.slice(0, url.lastIndexOf('/') + 1);
  const stack = String(Reflect.get(Object(error), 'stack'));
  for (const line of stack.split('\n')) {
    const at = line.indexOf(folder);
    const place =
      at < 0 ? null : /^([^\s():?]+)(?:\?[^\s():]*)?:(\d+)/.exec(line.slice(at + folder.length));
    if (place) return `${place[1]}:${place[2]}`;
  }
  const cause = Reflect.get(Object(error), 'cause');
  return cause && causes > 0 ? placeOf(cause, url, causes - 1) : undefined;
}
