import { ThreadWorker } from 'poolifier';
import echo from './echo.js';

export default new ThreadWorker(echo);
