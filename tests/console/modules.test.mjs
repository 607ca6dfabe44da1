// The parts of the console that need no page: values, requests, files, code, signatures, axes. Runs without a browser.

import assert from "node:assert/strict";
import {test} from "node:test";
import {webcrypto} from "node:crypto";

globalThis.crypto ??= webcrypto;
globalThis.location = {origin: "http://localhost:8000", host: "localhost:8000"};

const {ticks, short} = await import("../../console/charts.js");
const {WRITERS} = await import("../../console/code.js");
const {FORMATS, parseCsv, readItems, toCsv} = await import("../../console/files.js");
const {columnsOf} = await import("../../console/grid.js");
const {jsonFault, rangeAt, rangeOfPath} = await import("../../console/place.js");
const {placeOfFault} = await import("../../console/policy_editor.js");
const {changeRequest, COMPARISONS, Placeholders, searchRequest} = await import("../../console/request.js");
const {sign} = await import("../../console/sign.js");
const {bytes, duration} = await import("../../console/ui.js");
const value = await import("../../console/value.js");

/** The message of what is thrown, with where it is. */
function complaint(work) {
    try {
        work();
    } catch (error) {
        assert.ok(error instanceof value.ValueError, error.stack);
        return error.where ? `${error.where}: ${error.message}` : error.message;
    }
    return "fine";
}

// ---- value.js ----

test("numbers of 38 digits between 1E-130 and 9.9E+125", () => {
    for (const good of ["0", "-0", "1", "+1", ".5", "5.", "1e125", "9.9999999999999999999999999999999999999E+125", "1E-130", "0e999", "000000000000000000000000000000000000000001",
        "12345678901234567890123456789012345678", "1000000000000000000000000000000000000000000"]) assert.equal(complaint(() => value.checkNumber(good)), "fine", good);
    assert.equal(complaint(() => value.checkNumber("")), "a number is missing");
    assert.equal(complaint(() => value.checkNumber("1,5")), "'1,5' is no number");
    for (const bad of ["abc", "1e", "--1", "0x10", "Infinity", "NaN", " 1", "."]) assert.match(complaint(() => value.checkNumber(bad)), /is no number/, bad);
    assert.match(complaint(() => value.checkNumber("123456789012345678901234567890123456789")), /38 significant digits/);
    assert.match(complaint(() => value.checkNumber("1e126")), /larger/);
    assert.match(complaint(() => value.checkNumber("1e-131")), /smaller/);
});

test("what is no value is told where it is", () => {
    const keys = [{name: "pk", type: "S"}, {name: "sk", type: "N"}], item = (more) => ({pk: {S: "a"}, sk: {N: "1"}, ...more});
    const cases = [
        [{}, "the key pk is missing"], [{pk: {S: ""}, sk: {N: "1"}}, "pk: the key pk must not be empty"], [{pk: {N: "1"}, sk: {N: "1"}}, "pk: the key pk must be a string"],
        [{pk: "a", sk: {N: "1"}}, "pk: the key pk must be a string"], [item({x: 5}), 'x: a value is an object of one member, as {"S": "text"}'],
        [item({x: {S: "a", N: "1"}}), 'x: a value is an object of one member, as {"S": "text"}'], [item({x: {constructor: "a"}}), 'x: there is no type "constructor"'],
        [item({x: {N: 5}}), "x: the content of N is a text"], [item({x: {B: "?"}}), "x: binary is written in base64"], [item({x: {BOOL: "true"}}), "x: the content of BOOL is true or false"],
        [item({x: {NULL: false}}), "x: the content of NULL is true"], [item({x: {SS: []}}), "x: a set has at least one member"], [item({x: {SS: ["a", "a"]}}), 'x: the set has "a" twice'],
        [item({x: {M: {y: {L: [{S: "a"}, {N: "z"}]}}}}), "x.y[1]: 'z' is no number"], [item({"": {S: "a"}}), "a name is empty"],
    ];
    for (const [bad, text] of cases) assert.equal(complaint(() => value.checkItem(bad, keys)), text);
    assert.equal(complaint(() => value.checkItem(item({x: {M: {y: {NS: ["1", "2"]}}}}), keys)), "fine");
    assert.match(complaint(() => value.checkItem(item({x: {S: "a".repeat(400 * 1024)}}), keys)), /bytes; .* is the most/);
    let deep = {S: "a"};
    for (let i = 0; i < 32; i++) deep = {L: [deep]};
    assert.equal(complaint(() => value.checkItem(item({x: deep}), keys)), "fine");
    assert.match(complaint(() => value.checkItem(item({x: {L: [deep]}}), keys)), /at most 32 deep/);
});

const HOSTILE = JSON.parse(`{"__proto__": {"S": "a"}, "constructor": {"N": "1"}, "toString": {"M": {"__proto__": {"S": "b"}, "hasOwnProperty": {"BOOL": true}}},
    "<script>": {"S": "</script><img src=x onerror=alert(1)>"}, "a.b[0]": {"S": "\\u0000\\u0001\\u202e\\ufeff"}, "marks": {"SS": ["\\u00011\\u0001", "n5", "s"]}}`);

test("plain JSON keeps digits, types and any name", () => {
    const item = {...HOSTILE, big: {N: "12345678901234567890123456789012345678"}, price: {N: "100.50"}, odd: {L: [{N: "+.5"}, {N: "-007."}, {N: "5.e3"}]}, numbers: {NS: ["1.10", "2"]},
        blob: {B: "AAEC"}, mark: {S: "\u0001evil\u0001"}, digits: {S: "n12"}, list: {L: []}, map: {M: {}}, none: {NULL: true}};
    const text = value.writePlain(value.plainItem(item));
    assert.match(text, /"big": 12345678901234567890123456789012345678,/);
    assert.match(text, /"price": 100\.50,/);
    const back = value.itemFromPlain(value.readPlain(text), item);
    assert.deepEqual(back.odd, {L: [{N: "0.5"}, {N: "-7"}, {N: "5e3"}]});
    assert.deepEqual(Object.keys(back), Object.keys(item));
    for (const name of Object.keys(item)) if (name !== "odd") assert.ok(value.equal(value.own(item, name), value.own(back, name)), name);
    assert.deepEqual(JSON.parse(value.writePlain(value.plainItem(item), 0)).__proto__, "a");
});

test("plain JSON that is wrong says where, and a list that no longer fits a set is a list", () => {
    assert.throws(() => value.readPlain('{"a": 1,}'), SyntaxError);
    assert.throws(() => value.readPlain('{"a": 01}'), SyntaxError);
    assert.throws(() => value.readPlain('{"a": 1.}'), SyntaxError);
    const before = {tags: {SS: ["a"]}, numbers: {NS: ["1"]}};
    assert.deepEqual(value.itemFromPlain(value.readPlain('{"tags": ["b", "c"], "numbers": [2]}'), before), {tags: {SS: ["b", "c"]}, numbers: {NS: ["2"]}});
    assert.deepEqual(value.itemFromPlain(value.readPlain('{"tags": ["b", 1], "numbers": []}'), before), {tags: {L: [{S: "b"}, {N: "1"}]}, numbers: {L: []}});
    assert.match(complaint(() => value.itemFromPlain(value.readPlain("[1]"))), /an item is an object/);
});

test("equality is by content", () => {
    assert.ok(value.equal({SS: ["a", "b"]}, {SS: ["b", "a"]}));
    assert.ok(!value.equal({M: {constructor: {S: "a"}}}, {M: {other: {S: "a"}}}));
    assert.ok(!value.equal({S: "1"}, {N: "1"}));
    assert.ok(!value.equal(undefined, {S: "1"}));
    assert.ok(value.equal(undefined, undefined));
});

test("a line of a value: what cannot be seen is shown, what is long is cut", () => {
    assert.equal(value.preview({S: "a\nb\tc\u0000\u202e\u2028"}), "a⏎b⇥c\\u0000\\u202e\\u2028");
    assert.equal(value.preview({M: {price: {N: "100.50"}, none: {NULL: true}}}), '{"price":100.50,"none":null}');
    assert.equal(value.preview({S: "x".repeat(400000)}).length, 201);
    assert.equal(value.preview(undefined), "");
});

test("sizes as the service counts them", () => {
    assert.equal(value.itemSize({pk: {S: "ä"}, b: {B: "AAEC"}, t: {BOOL: true}, n: {NULL: true}}), 2 + 2 + 1 + 3 + 1 + 1 + 1 + 1);
    assert.equal(value.itemSize({l: {L: [{S: "a"}]}, m: {M: {k: {S: "v"}}}}), 1 + 3 + 2 + 1 + 3 + 1 + 1 + 1);
    assert.deepEqual([bytes(0), bytes(1023), bytes(1536), bytes(20 * 2 ** 20)], ["0 B", "1023 B", "1.5 KB", "20 MB"]);
    assert.deepEqual([duration(5), duration(3700), duration(90000)], ["5 s", "1 h 1 min", "1 d 1 h"]);
});

// ---- request.js ----

test("a path has parts; a name with dots is in quotes", () => {
    const path = (text) => {
        const places = new Placeholders();
        return [places.path(text), places.names];
    };
    assert.deepEqual(path("a"), ["#n0", {"#n0": "a"}]);
    assert.deepEqual(path("a.b[1][2].a"), ["#n0.#n1[1][2].#n0", {"#n0": "a", "#n1": "b"}]);
    assert.deepEqual(path('"a.b[0]".c[3]'), ["#n0.#n1[3]", {"#n0": "a.b[0]", "#n1": "c"}]);
    assert.deepEqual(path("constructor.__proto__"), ["#n0.#n1", {"#n0": "constructor", "#n1": "__proto__"}]);
});

test("a query with everything", () => {
    const {operation, input} = searchRequest({table: "t", index: "i", query: true, forward: false, consistent: true, limit: 5, projection: ["a", "b.c"],
        keys: [{name: "pk", comparison: "=", values: [{S: "x"}]}, {name: "sk", comparison: "between", values: [{N: "1"}, {N: "2"}]}],
        filters: [{name: "a.b", comparison: "not_contains", values: [{S: "y"}]}, {name: "c", comparison: "exists", values: []}]});
    assert.equal(operation, "Query");
    assert.deepEqual(input, {TableName: "t", IndexName: "i", KeyConditionExpression: "#n0 = :v0 AND #n1 BETWEEN :v1 AND :v2", ScanIndexForward: false,
        FilterExpression: "NOT contains(#n2.#n3, :v3) AND attribute_exists(#n4)", ProjectionExpression: "#n2, #n3.#n4", ConsistentRead: true, Limit: 5,
        ExpressionAttributeNames: {"#n0": "pk", "#n1": "sk", "#n2": "a", "#n3": "b", "#n4": "c"},
        ExpressionAttributeValues: {":v0": {S: "x"}, ":v1": {N: "1"}, ":v2": {N: "2"}, ":v3": {S: "y"}}});
    assert.deepEqual(searchRequest({table: "t", query: false, keys: [], filters: [], projection: []}), {operation: "Scan", input: {TableName: "t"}});
    for (const comparison of Object.keys(COMPARISONS)) {
        const values = [{S: "N"}, {S: "b"}];
        assert.match(searchRequest({table: "t", keys: [], filters: [{name: "a", comparison, values}], projection: []}).input.FilterExpression, /#n0/, comparison);
    }
});

test("a change says what it changes, and what it was", () => {
    const keys = [{name: "pk"}], before = {pk: {S: "a"}, x: {N: "1"}, y: {S: "b"}, z: {S: "c"}};
    assert.equal(changeRequest("t", keys, before, {...before}), undefined);
    const request = changeRequest("t", keys, before, {pk: {S: "a"}, x: {N: "2"}, z: {S: "c"}, new: {S: "d"}});
    assert.equal(request.UpdateExpression, "SET #n0 = :v0, #n1 = :v1 REMOVE #n2");
    assert.equal(request.ConditionExpression, "attribute_exists(#n3) AND #n0 = :v2 AND attribute_not_exists(#n1) AND #n2 = :v3 AND #n4 = :v4");
    assert.deepEqual(request.ExpressionAttributeNames, {"#n0": "x", "#n1": "new", "#n2": "y", "#n3": "pk", "#n4": "z"});
    assert.deepEqual(request.Key, {pk: {S: "a"}});
});

test("a change of names that every object has", () => {
    const keys = [{name: "pk"}], plain = {pk: {S: "a"}}, odd = JSON.parse('{"pk": {"S": "a"}, "__proto__": {"S": "p"}, "constructor": {"S": "c"}}');
    const added = changeRequest("t", keys, plain, odd), removed = changeRequest("t", keys, odd, plain);
    assert.equal(added.ConditionExpression, "attribute_exists(#n2) AND attribute_not_exists(#n0) AND attribute_not_exists(#n1)");
    assert.equal(removed.UpdateExpression, "REMOVE #n0, #n1");
    assert.deepEqual(Object.values(removed.ExpressionAttributeValues), [{S: "p"}, {S: "c"}]);
});

// ---- files.js ----

const KEYS = [{name: "pk", type: "S"}, {name: "sk", type: "N"}];

test("items survive their way through files of JSON", () => {
    const items = [{pk: {S: "a"}, sk: {N: "1.50"}, ...HOSTILE}, {pk: {S: "b"}, sk: {N: "2"}, set: {NS: ["1"]}, b: {B: "AAEC"}}];
    assert.deepEqual(readItems(FORMATS.dynamodb[3](items), "x.json", KEYS), items);
    const plain = [{pk: {S: "a"}, sk: {N: "12345678901234567890.5"}, m: {M: {l: {L: [{NULL: true}, {BOOL: false}]}}}}];
    assert.deepEqual(readItems(FORMATS.plain[3](plain), "x.json", KEYS), plain);
    assert.deepEqual(readItems(items.map((item) => JSON.stringify({Item: item})).join("\n"), "x.jsonl", KEYS), items);
    assert.deepEqual(readItems(JSON.stringify(items[0], null, 2), "x.json", KEYS), [items[0]]);
    assert.throws(() => readItems("[1", "x.json", KEYS), SyntaxError);
});

test("CSV is read and written with quotes, line breaks and commas", () => {
    assert.deepEqual(parseCsv('\ufeffa,b\r\n"x, ""y""\nz",2\n\n,\n'), [["a", "b"], ['x, "y"\nz', "2"], ["", ""]]);
    assert.match(complaint(() => parseCsv('a\n"b')), /inside of quotes/);
    assert.match(complaint(() => readItems("a,b\n1,2,3", "x.csv", [])), /line 2 has more cells/);
});

test("items survive their way through CSV, but for sets and binary", () => {
    const items = [
        {pk: {S: "123"}, sk: {N: "1"}, t: {S: "456"}, e: {S: ""}, b: {S: "true"}, n: {S: "null"}, j: {S: '{"a":1}'}, q: {S: '"x"'}, c: {S: " a, b\r\n"}},
        {pk: {S: "true"}, sk: {N: "-5.25"}, t: {N: "12345678901234567890123456789012345678"}, b: {BOOL: true}, n: {NULL: true}, j: {M: {l: {L: [{N: "1.50"}, {S: "x"}]}}}, q: {S: "="}},
        {pk: {S: '"'}, sk: {N: "3"}, t: {S: "123456789012345678901234567890123456789"}, constructor: {S: "x"}},
    ];
    assert.deepEqual(readItems(toCsv(items, ["pk", "sk"]), "x.CSV", KEYS), items);
    assert.equal(toCsv([{pk: {S: "a"}, s: {SS: ["b"]}}], ["pk"]), 'pk,s\r\na,"[""b""]"\r\n');
});

test("columns: keys first, then what most have", () => {
    assert.deepEqual(columnsOf([{b: 1, pk: 1, a: 1}, {pk: 1, b: 1, constructor: 1}], ["pk", "sk"]), ["pk", "b", "a", "constructor"]);
});

// ---- code.js ----

test("a request as code", () => {
    const input = JSON.parse(`{"TableName": "it's", "Item": {"pk": {"S": "a\\n'\\"\\\\"}, "b": {"B": "AAEC"}, "bs": {"BS": ["AA=="]}, "__proto__": {"BOOL": true}, "n": {"NULL": true}, "e": {"M": {}}}}`);
    const [cli, python, js] = ["cli", "boto3", "js"].map((kind) => WRITERS[kind][1]("PutItem", input));
    assert.match(cli, /^aws dynamodb put-item --endpoint-url http:\/\/localhost:8000 --region us-east-1 \\\n {2}--cli-input-json '\{/);
    assert.match(cli, /"it'\\''s"/);
    assert.match(python, /^import base64\n\nimport boto3\n/);
    assert.match(python, /reply = client\.put_item\(\*\*\{/);
    assert.match(python, /"B": base64\.b64decode\("AAEC"\)/);
    assert.match(python, /"BOOL": True/);
    const Buffer = {from: (text) => `bytes ${text}`}, body = /new PutItemCommand\((.*)\)\);\n$/s.exec(js)[1];
    const read = new Function("Buffer", `return ${body}`)(Buffer);
    assert.deepEqual(read, {...input, Item: {...input.Item, b: {B: "bytes AAEC"}, bs: {BS: ["bytes AA=="]}}});
    assert.match(WRITERS.cli[1]("ExecuteStatement", {}), /^aws dynamodb execute-statement /);
});

// ---- sign.js ----

test("signatures are those of AWS's own test suite", async () => {
    const signature = async (headers, body, token) => {
        const all = await sign({host: "example.amazonaws.com", region: "us-east-1", service: "service", headers, body, now: new Date("2015-08-30T12:36:00Z"),
            credentials: {id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token}});
        return all.authorization;
    };
    assert.equal(await signature({}, ""), "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, "
        + "Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
    assert.match(await signature({"content-type": "application/x-www-form-urlencoded"}, "Param1=value1"),
        /SignedHeaders=content-type;host;x-amz-date, Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a$/);
    const token = "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2w"
        + "UE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";
    assert.match(await signature({}, "", token), /Signature=85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead$/);
    const parallel = await Promise.all([signature({}, ""), signature({}, ""), signature({}, "")]);
    assert.equal(new Set(parallel).size, 1);
});

// ---- charts.js ----

test("axes end at a round number above the most", () => {
    assert.deepEqual(ticks(0), [0, 1]);
    assert.deepEqual(ticks(NaN), [0, 1]);
    assert.deepEqual(ticks(100), [0, 50, 100]);
    assert.deepEqual(ticks(7), [0, 2, 4, 6, 8]);
    assert.deepEqual(ticks(0.3), [0, 0.1, 0.2, 0.3]);
    for (const most of [1e-9, 0.017, 1, 3, 9.99, 1234, 5e12]) {
        const list = ticks(most);
        assert.ok(list.at(-1) >= most && list.length >= 3 && list.length <= 7, `${most}: ${list}`);
        assert.equal(new Set(list.map(short)).size, list.length, `${most}: ${list.map(short)}`);
    }
    assert.deepEqual([short(null), short(0), short(1234), short(2.5e6), short(0.01234)], ["–", "0", "1.23 k", "2.5 M", "0.0123"]);
});

// ---- place.js ----

test("a server's line, column and length are a range of the text", () => {
    const at = (text, position) => text.slice(...rangeAt(text, position));
    assert.equal(at("SELECT *\nFROM x", "2:6:1"), "x");
    assert.equal(at("ä😀 wrong", "1:4:5"), "wrong");
    assert.deepEqual(rangeAt("a\nbc", "2:3:0"), [4, 4]); // the end
    assert.deepEqual(rangeAt("a", "9:9:9"), [2, 2]);
});

test("what is no JSON is told with its place; what is JSON is not", () => {
    const cases = [
        ["", "The text ends where a value is expected.", [0, 0]], ["{", "The text ends where a name in quotes or } is expected.", [1, 1]], ['{"a": 1', "The text ends where a comma or the end is expected.", [7, 7]],
        ['{"a" 1}', "Here a colon is expected, not 1", [5, 6]], ['{"a": x}', "Here a value is expected, not x", [6, 7]], ['{"a": 1,}', "Here a name in quotes is expected, not }", [8, 9]],
        ["[1, 2,]", "Here a value is expected, not ]", [6, 7]], ["[1 2]", "Here a comma or the end is expected, not 2", [3, 4]], ["{} {}", "Here nothing more is expected, not {", [3, 4]],
        ["{'a': 1}", "Here a name in quotes or } is expected, not '", [1, 2]], ['["a\nb"]', "A text in quotes is wrong, or not closed.", [1, 2]], ["[01]", "Here a value or ] is expected, not 01", [1, 3]],
        ["[1}", "Here a comma or the end is expected, not }", [2, 3]], ["{]", "Here a name in quotes or } is expected, not ]", [1, 2]], ["[true false]", "Here a comma or the end is expected, not false", [6, 11]], ["nul", "Here a value is expected, not nul", [0, 3]],
        ["[1.]", "Here a value or ] is expected, not 1.", [1, 3]], ["😀", "Here a value is expected, not 😀", [0, 2]],
    ];
    for (const [text, message, range] of cases) {
        assert.throws(() => JSON.parse(text), SyntaxError, text);
        assert.deepEqual(jsonFault(text), {message, range}, text);
    }
    for (const text of ["1", " null ", '"a\\u00e4\\n"', "[]", "{}", '[[], {}, -1.5e+3, {"a": {"b": [true, false, null]}}]', `${"[".repeat(20000)}${"]".repeat(20000)}`]) {
        JSON.parse(text);
        assert.equal(jsonFault(text), undefined, text.slice(0, 40));
    }
});

test("the range of a value in JSON by its path", () => {
    const text = ' {"a": "x", "list": [{"b": [1, "}"]}, {"c": {"d": {}}}], "e": []} ', at = (...path) => text.slice(...rangeOfPath(text, path));
    assert.deepEqual([at("a"), at("list", 0), at("list", 0, "b", 1), at("list", 1, "c", "d"), at("e")], ['"x"', '{"b": [1, "}"]}', '"}"', "{}", "[]"]);
    assert.deepEqual([at(), at("nothing"), at("list", 7, "b")], [text.trim(), text.trim(), at("list")]);
});

// ---- policy_editor.js ----

test("what a server says of a policy is found in it", () => {
    const text = `{
  "Version": "2012-10-17",
  "Statement": [
    {"Sid": "ä", "Effect": "Maybe", "Action": "dynamodb:Fly", "Resource": "table/t"},
    {"Effect": "Deny", "Action": "*", "Resource": "*", "Condition": {"StringEqual": {"aws:user": "x"}}}
  ]
}`;
    const found = (message) => {
        const range = placeOfFault(message, text);
        return range && text.slice(...range).split("\n")[0];
    };
    const cases = [
        ["Invalid policy document: Syntax error at position (4,29)", '"Maybe"'], // a column of bytes
        ['Invalid policy document: The following action names are invalid: "dynamodb:Fly"', '"dynamodb:Fly"'],
        ['policy p: statement 1 (ä), Resource: "table/t" is no ARN: arn:partition:service:region:account:resource, or * for everything', '"table/t"'],
        ["policy p: statement 2, Condition: the operator StringEqual is not known here", "StringEqual"], ["policy p: statement 2, Condition: the condition key aws:user is not known here", "aws:user"],
        ["policy p: statement 1: Principal is missing, or NotPrincipal", text.split("\n")[3].trim().slice(0, -1)], ["policy p: statement 2, Action: must be a string or a list of strings", '"*"'],
        ["Invalid policy document: Missing required field Principal", "{"], ["Invalid principal in policy document.", undefined], ["The table is locked", undefined],
    ];
    for (const [message, part] of cases) assert.equal(found(message), part, message);
    assert.deepEqual(placeOfFault("policy p: statement 1: Effect is missing", '{"Statement": {"Action": "*"}}'), [14, 29]); // a single one
});
