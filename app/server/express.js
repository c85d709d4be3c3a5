/** The package express. */
import { require } from '../require.js';

export const express = /** @type {typeof import('express')} */ (require('express'));
