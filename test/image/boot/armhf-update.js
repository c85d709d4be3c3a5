/** Updates the armhf card, see updates.js. */
import { testUpdates } from './updates.js';

await testUpdates('armhf');
