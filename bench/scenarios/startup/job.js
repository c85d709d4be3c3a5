/** The job that the `startup` scenario starts: the measurements' game, ready to step. */
export { default } from '../../../app/games/collide.js';
