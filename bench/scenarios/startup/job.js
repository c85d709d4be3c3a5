/** The job of the `startup` scenario. */
export { default } from '../../../app/games/collide.js';
