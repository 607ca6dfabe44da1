module.exports = { preset: '@shelf/jest-dynamodb', testMatch: ['**/*.jest.cjs'] };
