#!/usr/bin/python3
"""Requests that are made to be expensive: each operation with the worst that fits into a body of a size.

    tests/bounds/hostile.py [--top N] [BYTES ...]     tries all of them and prints the slowest

A request costs what its server's I/O thread works for it: meanwhile nobody else on that thread is answered. Worker
threads may take longer. test_hostile.py holds the figures against limits.
"""

import argparse
import base64
import dataclasses
import time

from release import MB, Server

KEY = '"pk":{"S":"a"},"sk":{"S":"b"}'
TABLE = '"TableName":"ttt"'
SIZES = (16 * MB - 4096, MB, 400 * 1024)


@dataclasses.dataclass
class Cost:
    name: str
    size: int
    io_s: float  # of the I/O thread
    all_s: float  # of all threads
    wall_s: float
    status: int
    reply: int  # its bytes
    resident: int  # how much more there was at the worst moment

    def __str__(self):
        return (f"{self.io_s * 1000:9.1f} ms {self.all_s * 1000:9.1f} ms {self.resident / MB:8.1f} MB  {self.status}"
                f" {self.reply:>10,}  {self.size:>10,}  {self.name}")


def fill(size, piece):
    """piece(i) for i = 0, 1, ..., with commas between, `size` characters or a little less."""
    parts, length, i = [], 0, 0
    while True:
        part = piece(i)
        length += len(part) + 1
        if length > size:
            return ",".join(parts)
        parts.append(part)
        i += 1


def repeat(size, piece):
    return ",".join([piece] * max(1, size // (len(piece) + 1)))


def b64(i):
    return base64.b64encode(i.to_bytes(4, "big")).decode()


def deep(size, depth):
    """Lists in lists, again and again."""
    one = '{"L":[' * depth + '{"S":"x"}' + "]}" * depth
    return '{"L":[' + repeat(size, one) + "]}"


# The value of an attribute, of about so many characters.
VALUES = {
    "SS, all equal": lambda n: '{"SS":[' + repeat(n, '"a"') + "]}",
    "SS, last equal": lambda n: '{"SS":[' + fill(n, lambda i: f'"{i:07x}"') + ',"0000000"]}',
    "SS, falling": lambda n: '{"SS":[' + fill(n, lambda i: f'"{99999999 - i}"') + "]}",
    "SS, a long beginning": lambda n: '{"SS":[' + fill(n, lambda i: f'"{"x" * 500}{99999999 - i}"') + "]}",
    "SS, escaped": lambda n: '{"SS":[' + fill(n, lambda i: f'"\\u0001{99999999 - i}"') + "]}",
    "NS, all equal": lambda n: '{"NS":[' + repeat(n, '"1"') + "]}",
    "NS, falling": lambda n: '{"NS":[' + fill(n, lambda i: f'"{99999999 - i}"') + "]}",
    "NS, long zeros": lambda n: '{"NS":[' + fill(n, lambda i: f'"{"0" * 300}{99999999 - i}"') + "]}",
    "BS, all equal": lambda n: '{"BS":[' + repeat(n, '"YQ=="') + "]}",
    "BS, falling": lambda n: '{"BS":[' + fill(n, lambda i: f'"{b64(2 ** 31 - i)}"') + "]}",
    "BS, equal and more": lambda n: '{"BS":["YQ==","YQ==",' + fill(n, lambda i: f'"{b64(2 ** 31 - i)}"') + "]}",
    "M, falling names": lambda n: '{"M":{' + fill(n, lambda i: f'"{99999999 - i}":{{"S":""}}') + "}}",
    "M, equal names": lambda n: '{"M":{' + repeat(n, '"a":{"S":""}') + "}}",
    "M, unusual": lambda n: '{"M":{' + fill(n, lambda i: f'"{99999999 - i}":{{"NULL":true}}') + "}}",
    "L of nothing": lambda n: '{"L":[' + repeat(n, "{}") + "]}",
    "L of maps": lambda n: '{"L":[' + repeat(n, '{"M":{}}') + "]}",
    "L of NULL": lambda n: '{"L":[' + repeat(n, '{"NULL":true}') + "]}",
    "L of broken NULL": lambda n: '{"L":[' + repeat(n, '{"NULL":false}') + "]}",
    "L of broken numbers": lambda n: '{"L":[' + repeat(n, '{"N":"x"}') + "]}",
    "L of sets with equals": lambda n: '{"L":[' + repeat(n, '{"SS":["a","a"]}') + "]}",
    "L of null": lambda n: '{"L":[' + repeat(n, "null") + "]}",
    "many datatypes": lambda n: "{" + repeat(n, '"S":"a"') + "}",
    "deep": lambda n: deep(n, 30),
    "too deep": lambda n: deep(n, 60),
    "far too deep": lambda n: deep(n, 70),
    "a long S": lambda n: '{"S":"' + "x" * n + '"}',
    "a long escaped S": lambda n: '{"S":"' + "\\u0001" * (n // 6) + '"}',
    "a long N": lambda n: '{"N":"' + "1" * n + '"}',
    "a long N of zeros": lambda n: '{"N":"' + "0" * n + '"}',
    "a broken N": lambda n: '{"N":"' + "x" * n + '"}',
    "a long B": lambda n: '{"B":"' + "YWFh" * (n // 4) + '"}',
    "a broken B": lambda n: '{"B":"' + "YWFh" * (n // 4) + '!"}',
}


def item(n, value):
    return f'{{{KEY},"v":{value(n)}}}'


def names(n, name=lambda i: f"#n{i}", target=lambda i: f"a{i}"):
    return "{" + fill(n, lambda i: f'"{name(i)}":"{target(i)}"') + "}"


def values(n):
    return "{" + fill(n, lambda i: f'":v{i}":{{"N":"1"}}') + "}"


def get(names_text):
    return f'{{{TABLE},"Key":{{{KEY}}},"ProjectionExpression":"#n0","ExpressionAttributeNames":{names_text}}}'


def requests(n):
    """Pairs of a name and (operation, body)."""
    for name, value in VALUES.items():
        yield f"PutItem {name}", ("PutItem", f'{{{TABLE},"Item":{item(n, value)}}}')
    for name in ("SS, all equal", "SS, last equal", "BS, equal and more", "a broken N", "L of maps", "far too deep"):
        value = VALUES[name]
        yield f"UpdateItem value {name}", (
            "UpdateItem", f'{{{TABLE},"Key":{{{KEY}}},"UpdateExpression":"SET a = :v",'
                          f'"ExpressionAttributeValues":{{":v":{value(n)}}}}}')
        yield f"PutItem Expected {name}", (
            "PutItem", f'{{{TABLE},"Item":{{{KEY}}},"Expected":{{"v":{{"Value":{value(n)}}}}}}}')
        yield f"GetItem key {name}", ("GetItem", f'{{{TABLE},"Key":{item(n, value)}}}')
        yield f"Scan ExclusiveStartKey {name}", ("Scan", f'{{{TABLE},"ExclusiveStartKey":{item(n, value)}}}')
        yield f"BatchWriteItem {name}", (
            "BatchWriteItem", '{"RequestItems":{"ttt":[' + ",".join(
                f'{{"PutRequest":{{"Item":{item(n // 25, value)}}}}}' for _ in range(25)) + "]}}")
        yield f"TransactWriteItems {name}", (
            "TransactWriteItems", '{"TransactItems":[' + ",".join(
                f'{{"Put":{{{TABLE},"Item":{item(n // 100, value)}}}}}' for _ in range(100)) + "]}")
        yield f"ExecuteStatement {name}", (
            "ExecuteStatement", f'{{"Statement":"SELECT * FROM ttt WHERE pk = ?","Parameters":[{value(n)}]}}')
    yield "GetItem names", ("GetItem", get(names(n)))
    yield "GetItem equal names", ("GetItem", get("{" + repeat(n, '"#n":"a"') + "}"))
    yield "GetItem broken names", ("GetItem", get(names(n, lambda i: f"n{i}")))
    yield "GetItem names, 250 of them", ("GetItem", get(names(min(n, 4000))))
    yield "GetItem AttributesToGet", (
        "GetItem", f'{{{TABLE},"Key":{{{KEY}}},"AttributesToGet":[' + fill(n, lambda i: f'"{99999999 - i}"') + "]}")
    yield "GetItem equal AttributesToGet", (
        "GetItem", f'{{{TABLE},"Key":{{{KEY}}},"AttributesToGet":[' + repeat(n, '"a"') + "]}")
    yield "UpdateItem values", (
        "UpdateItem", f'{{{TABLE},"Key":{{{KEY}}},"UpdateExpression":"SET a = :v0","ExpressionAttributeValues":{values(n)}}}')
    yield "UpdateItem AttributeUpdates", (
        "UpdateItem", f'{{{TABLE},"Key":{{{KEY}}},"AttributeUpdates":{{'
        + fill(n, lambda i: f'"{99999999 - i}":{{"Value":{{"N":"1"}}}}') + "}}")
    yield "PutItem Expected", (
        "PutItem", f'{{{TABLE},"Item":{{{KEY}}},"Expected":{{' + fill(n, lambda i: f'"{99999999 - i}":{{"Exists":false}}') + "}}")
    yield "Query KeyConditions", (
        "Query", f'{{{TABLE},"KeyConditions":{{'
        + fill(n, lambda i: f'"{i}":{{"ComparisonOperator":"EQ","AttributeValueList":[{{"S":"a"}}]}}') + "}}")
    yield "Query KeyConditions, one list", (
        "Query", f'{{{TABLE},"KeyConditions":{{"pk":{{"ComparisonOperator":"EQ","AttributeValueList":['
        + repeat(n, '{"S":"a"}') + "]}}}")
    yield "Scan ScanFilter IN", (
        "Scan", f'{{{TABLE},"ScanFilter":{{"v":{{"ComparisonOperator":"IN","AttributeValueList":['
        + fill(n, lambda i: f'{{"N":"{i}"}}') + "]}}}")
    yield "BatchGetItem tables", (
        "BatchGetItem", '{"RequestItems":{' + fill(n, lambda i: f'"table{i}":{{"Keys":[{{"pk":{{"S":"a"}}}}]}}') + "}}")
    yield "BatchGetItem keys", (
        "BatchGetItem", '{"RequestItems":{"ttt":{"Keys":[' + fill(n, lambda i: f'{{"pk":{{"S":"{i}"}},"sk":{{"S":"b"}}}}') + "]}}}")
    yield "BatchGetItem equal keys", (
        "BatchGetItem", '{"RequestItems":{"ttt":{"Keys":[' + repeat(n, f"{{{KEY}}}") + "]}}}")
    yield "BatchWriteItem tables", (
        "BatchWriteItem", '{"RequestItems":{' + fill(n, lambda i: f'"table{i}":[{{"DeleteRequest":{{"Key":{{"pk":{{"S":"a"}}}}}}}}]') + "}}")
    yield "BatchWriteItem requests", ("BatchWriteItem", '{"RequestItems":{"ttt":[' + repeat(n, "{}") + "]}}")
    yield "TransactWriteItems actions", ("TransactWriteItems", '{"TransactItems":[' + repeat(n, "{}") + "]}")
    yield "TransactGetItems actions", (
        "TransactGetItems", '{"TransactItems":[' + repeat(n, f'{{"Get":{{{TABLE},"Key":{{{KEY}}}}}}}') + "]}")
    yield "ExecuteStatement parameters", (
        "ExecuteStatement", '{"Statement":"SELECT * FROM ttt WHERE pk = ?","Parameters":[' + repeat(n, '{"S":"a"}') + "]}")
    yield "ExecuteStatement a long statement", ("ExecuteStatement", '{"Statement":"' + "x" * n + '"}')
    yield "ExecuteStatement columns", (
        "ExecuteStatement", '{"Statement":"SELECT ' + fill(min(n, 8000), lambda i: f"a{i}") + ' FROM ttt"}')
    yield "ExecuteStatement IN", (
        "ExecuteStatement", '{"Statement":"SELECT * FROM ttt WHERE v IN [' + fill(min(n, 8000), str) + ']"}')
    yield "ExecuteStatement ORs", (
        "ExecuteStatement", '{"Statement":"SELECT * FROM ttt WHERE ' + fill(min(n, 8000), lambda i: "v=1 OR v=2").replace(",", " OR ") + '"}')
    yield "ExecuteStatement NOTs", (
        "ExecuteStatement", '{"Statement":"SELECT * FROM ttt WHERE ' + "NOT " * (min(n, 8000) // 4) + 'v=1"}')
    yield "ExecuteStatement parentheses", (
        "ExecuteStatement", '{"Statement":"SELECT * FROM ttt WHERE ' + "(" * 4000 + "v=1" + ")" * 4000 + '"}')
    yield "BatchExecuteStatement statements", (
        "BatchExecuteStatement", '{"Statements":[' + repeat(n, '{"Statement":"x"}') + "]}")
    yield "UpdateItem a long expression", (
        "UpdateItem", f'{{{TABLE},"Key":{{{KEY}}},"UpdateExpression":"' + "x" * n + '"}')
    yield "UpdateItem a full expression", (
        "UpdateItem", f'{{{TABLE},"Key":{{{KEY}}},"UpdateExpression":"SET ' + fill(min(n, 4000), lambda i: f"a{i}=b{i}") + '"}')
    yield "Scan a full filter", (
        "Scan", f'{{{TABLE},"FilterExpression":"' + fill(min(n, 3900), lambda i: f"a{i}=b").replace(",", " OR ") + '"}')
    yield "Scan a filter of parentheses", ("Scan", f'{{{TABLE},"FilterExpression":"' + "(" * 2040 + "a=b" + ")" * 2040 + '"}')
    yield "PutItem a long TableName", ("PutItem", '{"TableName":"' + "x" * n + f'","Item":{{{KEY}}}}}')
    yield "PutItem a TableName to be escaped", ("PutItem", '{"TableName":"' + "\\u0001" * (n // 6) + f'","Item":{{{KEY}}}}}')
    yield "PutItem a long ReturnValues", ("PutItem", f'{{{TABLE},"Item":{{{KEY}}},"ReturnValues":"' + "x" * n + '"}')
    yield "PutItem unknown members", ("PutItem", "{" + fill(n, lambda i: f'"m{i}":[]') + "}")
    yield "PutItem equal members", ("PutItem", "{" + repeat(n, f"{TABLE}") + "}")
    yield "PutItem equal Items", ("PutItem", "{" + repeat(n, f'"Item":{{{KEY}}}') + "}")
    yield "PutItem brackets", ("PutItem", '{"x":' + "[" * n + "}")
    yield "PutItem spaces", ("PutItem", "{" + " " * n + "}")
    yield "CreateTable definitions", (
        "CreateTable", '{"TableName":"tt1","AttributeDefinitions":['
        + fill(n, lambda i: f'{{"AttributeName":"{i}","AttributeType":"S"}}') + '],"KeySchema":[{"AttributeName":"0","KeyType":"HASH"}]}')
    yield "CreateTable indexes", (
        "CreateTable", '{"TableName":"tt1","AttributeDefinitions":[],"KeySchema":[],"GlobalSecondaryIndexes":['
        + fill(n, lambda i: f'{{"IndexName":"index{i}","KeySchema":[],"Projection":{{}}}}') + "]}")
    yield "CreateTable NonKeyAttributes", (
        "CreateTable", '{"TableName":"tt1","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],"KeySchema":'
        '[{"AttributeName":"a","KeyType":"HASH"}],"GlobalSecondaryIndexes":[{"IndexName":"iii","KeySchema":[{"AttributeName"'
        ':"a","KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":['
        + fill(n, lambda i: f'"{99999999 - i}"') + "]}}]}")
    yield "TagResource tags", (
        "TagResource", '{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/ttt","Tags":['
        + fill(n, lambda i: f'{{"Key":"{i}","Value":""}}') + "]}")
    yield "PutResourcePolicy", (
        "PutResourcePolicy", '{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/ttt","Policy":"'
        + '[' * n + '"}')


def measure(server, io_thread, name, operation, body):
    body = body.encode()
    server.forget_peak()
    resident = server.resident()
    before, begin = server.thread_times(), time.monotonic()
    status, reply = server.call(operation, body)
    wall = time.monotonic() - begin
    after = server.thread_times()
    spent = {task: after[task] - before.get(task, 0) for task in after}
    return Cost(name, len(body), spent[io_thread], sum(spent.values()), wall, status, len(reply),
                server.resident(peak=True) - resident)


def measure_all(sizes=SIZES, wanted=""):
    with Server("--threads", 1) as server:
        server.make_table()
        io_thread = server.io_thread()
        for size in sizes:
            for name, (operation, body) in requests(size):
                if wanted in name:
                    yield measure(server, io_thread, name, operation, body)


def main():
    parser = argparse.ArgumentParser(description="Tries requests that are made to be expensive.")
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--top", type=int, default=10)
    parser.add_argument("--only", default="", help="requests whose name contains this")
    options = parser.parse_args()
    costs = list(measure_all(options.sizes, options.only))
    for what in ("io_s", "resident"):
        print(f"\nby {what}:\n   I/O thread  all threads     memory           reply        body")
        for cost in sorted(costs, key=lambda cost: -getattr(cost, what))[:options.top]:
            print(cost)


if __name__ == "__main__":
    main()
