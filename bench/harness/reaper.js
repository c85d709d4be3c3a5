/**
 * Cleans up after a killed harness. When the harness ends by SIGKILL or by the kernel's out-of-memory killer, a shell
 * that waits for its end ends the running sample and removes the folder that the samples share. It is a shell because
 * that is small, and maps no pages of Node.js.
 */
import { spawn } from 'node:child_process';

/**
 * Each line of its input is the process group of the running sample, or empty when no sample is running. Its input ends
 * when the harness ends.
 */
const SCRIPT = `
trap '' INT TERM HUP
group=
while read -r line; do group=$line; done
if [ -n "$group" ]; then
  kill -s TERM "$group" && sleep 1
  kill -s KILL -- "-$group"
fi
rm -rf -- "$1"
`;

/**
 * @typedef {object} Reaper
 * @property {(pid: number | undefined) => void} watch sets the running sample: the leader of a process group
 * @property {() => void} release reports that the sample has ended
 * @property {() => void} end ends the shell
 */

/** Starts the shell. @param {string} workDir the folder to remove @returns {Reaper} */
export function startReaper(workDir) {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'pitv-bench-reaper', workDir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // so that Ctrl-C does not reach it
  });
  const { stdin } = shell;
  shell.on('error', () => {}); // without a shell, only a running harness ends samples
  stdin.on('error', () => {});
  shell.unref();
  /** @param {string} text */
  const send = (text) => stdin.writable && stdin.write(`${text}\n`);
  return {
    watch: (pid) => send(String(pid ?? '')),
    release: () => send(''),
    end: () => stdin.end(),
  };
}
