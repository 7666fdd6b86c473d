import { expect, test } from 'vitest';

import * as entry from '../src/index.ts';

test('the package exports these values', () => {
  expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
    [
      "ACTS",
      "Author",
      "FaultyStore",
      "Findings",
      "KillableStore",
      "ManualPlatform",
      "Random",
      "RandomLog",
      "Recorder",
      "STORE_KINDS",
      "StreamingAgent",
      "WrappingStore",
      "WriterProcess",
      "alter",
      "breakageOf",
      "checkMessages",
      "checkRecorder",
      "commandLine",
      "commitIds",
      "costGrowth",
      "eventId",
      "filesWith",
      "fillLog",
      "fillTable",
      "isStoreKind",
      "leaks",
      "makeTwins",
      "message",
      "messageText",
      "only",
      "playProgram",
      "readLog",
      "readTransitionTable",
      "see",
      "seeRepaired",
      "seedOf",
      "spent",
      "toolCall",
      "watchIds",
      "wholeNumber",
      "wireCall",
      "wireMessage",
      "wireResult",
      "writeConversation",
    ]
  `);
});
