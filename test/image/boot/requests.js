/** Requests that a board makes to its own TV, as the admin does. */
import { BOOT_MS } from './board.js';

/** Ticks after which a match runs. */
const MATCH_TICKS = 60;

/** Sends a request with the token of the admin. */
const ADMIN = `
  const fs = require("fs");
  const token = fs.readFileSync("/data/pitv/admin-token", "utf8").trim();
  const send = async (method, path, body, type = "application/json") => {
    const headers = { authorization: "Bearer " + token, "content-type": type, connection: "close" };
    const answer = await fetch("http://127.0.0.1" + path, { method, body, headers });
    if (!answer.ok) throw new Error(await answer.text());
    return answer;
  };`;

/**
 * Writes a program for the board that waits until a match of a game runs, and prints it.
 * @param {{starts?: boolean, game?: string}} options starts: starts the match
 */
export const runMatch = ({ starts, game = 'collide' }) => `(async () => {
  ${ADMIN}
  ${starts ? `await send("POST", "/api/matches", JSON.stringify({ game: "${game}" }));` : ''}
  for (;;) {
    const { matches } = await (await send("GET", "/api/matches")).json();
    const match = matches.find(({ game }) => game === "${game}");
    if (match?.ticks > ${MATCH_TICKS}) return console.log(JSON.stringify(match));
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
})()`;

/**
 * Asks a board for its match, and waits until it runs.
 * @param {import('./board.js').Tv} tv @param {{starts?: boolean}} [options]
 * @returns {Promise<{id: number, ticks: number}>}
 */
export const askMatch = async (tv, options = {}) =>
  JSON.parse(await tv.sh(`node -e '${runMatch(options)}'`, { timeoutMs: BOOT_MS }));

/** Writes a program for the board that uploads a bundle as the admin page does. @param {string} file */
export const upload = (file) => `(async () => {
  ${ADMIN}
  const { size } = fs.statSync("${file}");
  let offset = 0;
  let upload = "";
  for await (const part of fs.createReadStream("${file}", { highWaterMark: 1 << 18 })) {
    const path = "/api/system/update?offset=" + offset + "&size=" + size + "&upload=" + upload;
    ({ upload } = await (await send("PUT", path, part, "application/octet-stream")).json());
    offset += part.length;
  }
})()`;
