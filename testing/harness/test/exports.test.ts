import { expect, test } from 'vitest';

import * as entry from '../src/index.ts';

test('the package exports these values', () => {
  expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
    [
      "FaultyStore",
      "Findings",
      "KillableStore",
      "Random",
      "Recorder",
      "STORE_KINDS",
      "WrappingStore",
      "checkMessages",
      "checkRecorder",
      "costGrowth",
      "isStoreKind",
      "leaks",
      "messageText",
      "playProgram",
      "readLog",
      "readTransitionTable",
      "wholeNumber",
    ]
  `);
});
