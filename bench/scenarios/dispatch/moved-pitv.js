/** The task of the dispatch scenario for pitv's pools: moves its payload back. */
import { move } from '../../../app/pool/index.js';

export default move;
