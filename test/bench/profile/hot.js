/** A program with a known hot function: `node --prof hot.js`. */
function knownToBeHot() {
  let sum = 0;
  for (let i = 1; i < 2e6; i++) sum += Math.sqrt(i) / i;
  return sum;
}
function callsTheHotOne() {
  return knownToBeHot();
}
const CPU_US = 300_000;
const started = process.cpuUsage();
let sum = 0;
while (process.cpuUsage(started).user < CPU_US) sum += callsTheHotOne();
process.exitCode = sum > 0 ? 0 : 1;
