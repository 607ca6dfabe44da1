// jest.config.js: { preset: 'gramme' }
'use strict';

module.exports = { testEnvironment: require.resolve('./jest-environment.cjs') };
