import js from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import globals from 'globals';

const browserFiles = ['app/web/**/*.js'];

export default [
  { ignores: ['node_modules/', 'build/', 'test/output/', 'image/out/', '.cache/'] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2023, sourceType: 'module', globals: globals.node },
    rules: {
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-unused-vars': ['error', { argsIgnorePattern: '^_', caughtErrors: 'none' }],
      'max-len': [
        'error',
        {
          code: 120,
          ignoreUrls: true,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
        },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector:
            ':matches(ObjectExpression > SpreadElement > ObjectExpression.argument, :not(ObjectExpression) > SpreadElement > ArrayExpression.argument)',
          message:
            'Write the properties or elements where they are, and let Prettier break the lines.',
        },
      ],
    },
  },
  // Strangers choose the texts that these look at: none takes a time that grows with the square of their length.
  {
    files: ['app/**/*.js', 'ksm/**/*.js'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  { files: browserFiles, languageOptions: { globals: globals.browser } },
  // Also browsers that are too old run this script.
  {
    files: ['app/web/old/start.js'],
    languageOptions: { ecmaVersion: 3, sourceType: 'script' },
    rules: { 'no-var': 'off' },
  },
  // What these hand to a page runs in the page.
  {
    files: ['test/e2e/**/*.js', 'bench/browsers/*.js', 'bench/scenarios/{frames,screen}/*.js'],
    languageOptions: { globals: globals.browser },
  },
];
