/** @returns {number} ms of CPU time of this process; unlike the clock it does not go on for other programs */
export function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
