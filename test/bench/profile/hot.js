/** A program whose hot function is known: `node --prof hot.js`. */
function knownToBeHot() {
  let sum = 0;
  for (let i = 1; i < 2e6; i++) sum += Math.sqrt(i) / i;
  return sum;
}
function callsTheHotOne() {
  return knownToBeHot();
}
const end = performance.now() + 600;
let sum = 0;
while (performance.now() < end) sum += callsTheHotOne();
process.exitCode = sum > 0 ? 0 : 1;
