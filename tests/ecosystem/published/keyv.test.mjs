// keyv.test.mjs - keyv's own suite for stores, as its documentation says to run it, with its store on DynamoDB.

import KeyvDynamo from "@keyv/dynamo";
import keyvTestSuite from "@keyv/test-suite";
import {Keyv} from "keyv";
import * as vitest from "vitest";

keyvTestSuite(vitest, Keyv, () => new KeyvDynamo({endpoint: process.env.GRAMME_ENDPOINT, region: "us-east-1"}));
