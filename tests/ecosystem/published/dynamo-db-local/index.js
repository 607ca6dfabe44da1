// index.js - what the suite of dynamodb-onetable starts its server by: `gramme local`, which takes the options of DynamoDB Local.

const {spawn} = require("node:child_process");
const {resolve} = require("node:path");

const BINARY = process.env.GRAMME_BIN ?? resolve(__dirname, "../../../../build-check/gramme");

exports.spawn = ({port}) => spawn(BINARY, ["local", "-inMemory", "-port", String(port)], {stdio: "ignore"});
