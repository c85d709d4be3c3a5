/** Limits on clips. */
import { rows } from './rows.js';

export const clipLimits = rows({
  clips: {
    bounds: 'Clips',
    value: 40,
    unit: 'clips',
    option: '',
    effect: '`PITV_CLIP_LIMIT`',
  },
  clipsPerAddress: {
    bounds: 'Clips that screens of one address made',
    value: 20,
    unit: 'clips',
    option: '',
    effect: '`PITV_CLIP_LIMIT`',
  },
  clipMegabytes: {
    bounds: 'Space of all clips',
    value: 512,
    unit: 'MB',
    option: '--clip-mb',
    effect: '`PITV_CLIP_SPACE`',
  },
  clipSharePerAddress: {
    bounds: 'Space of the clips that screens of one address made',
    value: 50,
    unit: '% of `--clip-mb`',
    option: '',
    effect: '`PITV_CLIP_SPACE`',
  },
  clipsWaiting: {
    bounds: 'Clips that are being recorded, rendered or waiting',
    value: 3,
    unit: 'clips',
    option: '',
    effect: '`PITV_CLIP_BUSY`',
  },
  clipsWaitingPerAddress: {
    bounds: 'Of these, of one address',
    value: 2,
    unit: 'clips',
    option: '',
    effect: '`PITV_CLIP_BUSY`',
  },
  clipDownloads: {
    bounds: 'Downloads of clips at the same time',
    value: 32,
    unit: 'downloads',
    option: '',
    effect: '`PITV_CLIP_DOWNLOADS`, status 503',
  },
  clipDownloadsPerAddress: {
    bounds: 'Of these, of one address',
    value: 8,
    unit: 'downloads',
    option: '',
    effect: '`PITV_CLIP_DOWNLOADS`, status 503',
  },
  clipPause: {
    bounds: 'Time between two clips of one address',
    value: 1000,
    unit: 'ms',
    option: '',
    effect: '`PITV_CLIP_BUSY`',
  },
});
