module.exports = {
  tables: [{
    TableName: 'music',
    KeySchema: [{ AttributeName: 'artist', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'artist', AttributeType: 'S' }],
  }],
};
