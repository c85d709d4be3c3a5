/** Boots the armhf card with a browser, see kiosk.js. */
import { testKiosk } from './kiosk.js';

await testKiosk('armhf');
