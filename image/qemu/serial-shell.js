/** Commands for the root shell on a board's serial line, and their answers. */
import { gunzipSync } from 'node:zlib';
import { PitvError } from '../../app/errors.js';

/**
 * Disables messages of the kernel and of systemd (SIGRTMIN+21, which needs no D-Bus), which would be mixed with output.
 * So wait for such messages before the first command.
 */
const QUIET = 'dmesg -n 1;systemctl kill -s SIGRTMIN+21 init.scope';

/** Prepares the shell. It answers READY. */
export const OPEN = `stty -echo cols 1000;PS1=;PS2=;${QUIET};echo "<ready"'>'\n`;
export const READY = /<ready>/;

/**
 * Writes the line that runs a command. Command and output are encoded, because the terminal changes line ends and
 * kernel messages can appear in between.
 * @param {string} id of the command
 * @param {string} command for sh
 */
export function commandLineOf(id, command) {
  const text = Buffer.from(command).toString('base64');
  const guarded = `{ echo ${text}|base64 -d|sh 2>&1; echo $? >&3; }|gzip -9|base64 -w0 >&4`;
  return `printf '<${id}:';{ s=$({ ${guarded}; } 3>&1); } 4>&1;echo '>';echo "<${id}=$s>"\n`;
}

/** Matches the end of a command; its group is the exit status. @param {string} id */
export const endOf = (id) => new RegExp(`<${id}=(\\d+)>`);

/**
 * Reads a command's output.
 * @param {string} id of the command
 * @param {string} text of the serial line
 * @throws {PitvError} PITV_QEMU_COMMAND: the output is damaged
 */
export function outputOf(id, text) {
  const [, packed = ''] = new RegExp(`<${id}:([A-Za-z0-9+/=\\s]*)>`).exec(text) ?? [];
  try {
    return gunzipSync(Buffer.from(packed.replace(/\s/g, ''), 'base64')).toString();
  } catch (cause) {
    throw new PitvError('PITV_QEMU_COMMAND', 'The output of a command is damaged.', { cause });
  }
}
