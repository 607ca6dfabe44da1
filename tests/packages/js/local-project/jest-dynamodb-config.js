module.exports = {
  tables: [{
    TableName: 'music',
    KeySchema: [{ AttributeName: 'artist', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'artist', AttributeType: 'S' }],
    ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
  }],
  port: Number(process.env.LOCAL_PORT),
  installerConfig: { installPath: process.env.INSTALLED },
};
