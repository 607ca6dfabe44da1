"""Reads a stream as the Kinesis Client Library does: shard by shard, a child after its parent, with a
checkpoint after every batch, from which another reader goes on when this one dies.
"""

END = "SHARD_END"
TRIM_HORIZON = "TRIM_HORIZON"


class StreamReader:
    """`exchange` makes a request: status and JSON, or None when there was no answer.

    What it has read is in `records`, a list for each shard; where it is, in `checkpoints`.
    """

    def __init__(self, exchange, arn, checkpoints=None, limit=1000):
        self.exchange, self.arn, self.limit = exchange, arn, limit
        self.checkpoints = dict(checkpoints or {})
        self.records = {}
        self.parents = {}
        self.iterators = {}
        self.expired = 0

    def request(self, operation, **body):
        """The answer; None when there was none, when an iterator is too old, or when a shard is."""
        reply = self.exchange(operation, body)
        if reply is None:
            return None
        status, answer = reply
        if status == 200:
            return answer
        if answer["__type"].endswith("#ExpiredIteratorException"):
            self.expired += 1
        elif operation == "GetShardIterator" and answer["message"].endswith(": Shard does not exist"):
            self.checkpoints[body["ShardId"]] = END
        else:
            raise AssertionError(f"{operation} answered {status} {answer}")
        return None

    def discover(self):
        """Learns of all shards, a page at a time."""
        start, shards = {}, []
        while True:
            answer = self.request("DescribeStream", StreamArn=self.arn, Limit=3, **start)
            if answer is None:
                return False
            page = answer["StreamDescription"]
            shards += page["Shards"]
            if "LastEvaluatedShardId" not in page:
                break
            start = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}
        ids = [shard["ShardId"] for shard in shards]
        assert ids == sorted(set(ids)), f"shards are not in order: {ids}"
        for shard in shards:
            self.parents[shard["ShardId"]] = shard.get("ParentShardId")
            self.checkpoints.setdefault(shard["ShardId"], TRIM_HORIZON)
        return True

    def is_ready(self, shard):
        parent = self.parents.get(shard)
        return self.checkpoints[shard] != END and self.checkpoints.get(parent, END) == END

    def start(self, shard):
        place = self.checkpoints[shard]
        kind = {"ShardIteratorType": TRIM_HORIZON} if place == TRIM_HORIZON else {
            "ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": place}
        answer = self.request("GetShardIterator", StreamArn=self.arn, ShardId=shard, **kind)
        return answer and answer["ShardIterator"]

    def read(self, shard):
        """One batch; returns how many records, None when there was no answer."""
        iterator = self.iterators.pop(shard, None) or self.start(shard)
        answer = iterator and self.request("GetRecords", ShardIterator=iterator, Limit=self.limit)
        if not answer:
            return None
        batch = answer["Records"]
        self.records.setdefault(shard, []).extend(batch)
        if batch:
            self.checkpoints[shard] = batch[-1]["dynamodb"]["SequenceNumber"]
        if "NextShardIterator" in answer:
            self.iterators[shard] = answer["NextShardIterator"]
        else:
            self.checkpoints[shard] = END
        return len(batch)

    def read_all(self):
        """One batch of each shard that is ready; returns how many records, None when some had no answer."""
        if not self.discover():
            return None
        counts = [self.read(shard) for shard in sorted(self.checkpoints) if self.is_ready(shard)]
        return None if None in counts else sum(counts)

    def catch_up(self):
        """Until there is nothing left, children of shards that end meanwhile included."""
        while True:
            before = dict(self.checkpoints)
            if self.read_all() == 0 and self.checkpoints == before:
                return self


def changes(reader):
    """All records, those of a parent before those of its children."""
    return [record for shard in sorted(reader.records) for record in reader.records[shard]]
