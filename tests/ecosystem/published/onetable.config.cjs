// onetable.config.cjs - the suite of dynamodb-onetable's metrics. Its own configuration names the sources, in TypeScript; what is published is
// what they became.

const {dirname} = require("node:path");

const rootDir = `${dirname(require.resolve("dynamodb-onetable"))}/metrics`;

module.exports = {
    ...require(`${rootDir}/jest.config.js`),
    rootDir,
    roots: ["<rootDir>/test"],
    globalSetup: "<rootDir>/test/utils/setup.js",
    globalTeardown: "<rootDir>/test/utils/teardown.js",
    transform: {},
    // jest looks into no node_modules by itself.
    haste: {retainAllFiles: true},
    testPathIgnorePatterns: ["\\.d\\.ts$"],
    testTimeout: 60000,
};
