export { default } from '../../../../app/games/bumper.js';
