/** Returns the CPU time of this process in ms. Unlike the clock, it does not count other programs. */
export function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
