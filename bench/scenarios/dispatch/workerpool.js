import workerpool from 'workerpool';
import echo from './echo.js';

workerpool.worker({ echo });
