/** Updates the arm64 card, see updates.js. */
import { testUpdates } from './updates.js';

await testUpdates('arm64');
