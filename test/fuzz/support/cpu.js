/** Returns the CPU time of this process in ms. Other programs do not change it. */
export function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
