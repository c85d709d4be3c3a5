/**
 * What a killed harness leaves behind. SIGKILL, a lost terminal or the kernel's out-of-memory killer
 * leave no time to end the sample under way: a shell that waits for the harness's end does it then,
 * and removes the folder that the samples shared. It is a shell for being small, and for mapping no
 * page of Node's.
 */
import { spawn } from 'node:child_process';

/**
 * Each line it reads names the process group of the sample under way; an empty one says that there is
 * none. The end of its input is the end of the harness.
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
 * @property {(pid: number | undefined) => void} watch the leader of a process group, a sample
 * @property {() => void} release that sample has ended
 * @property {() => void} end nothing is left to do
 */

/** @param {string} workDir @returns {Reaper} */
export function startReaper(workDir) {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'pitv-bench-reaper', workDir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // Ctrl-C is not for it
  });
  const { stdin } = shell;
  shell.on('error', () => {}); // no shell: samples are ended as long as the harness lives
  stdin.on('error', () => {});
  shell.unref();
  /** @param {string} text */
  const tell = (text) => stdin.writable && stdin.write(`${text}\n`);
  return {
    watch: (pid) => tell(String(pid ?? '')),
    release: () => tell(''),
    end: () => stdin.end(),
  };
}
