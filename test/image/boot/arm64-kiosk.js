/** Boots the arm64 card with a browser, see kiosk.js. */
import { testKiosk } from './kiosk.js';

await testKiosk('arm64');
