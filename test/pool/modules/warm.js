/** A module that warms up in the zygote. */
let warmedBy = 0;

export function warm() {
  warmedBy = process.pid;
}
export default () => ({ warmedBy, pid: process.pid });
