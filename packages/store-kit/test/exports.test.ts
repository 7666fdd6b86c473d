import { expect, test } from 'vitest';

import * as kit from '../src/index.ts';
import * as system from '../src/system/index.ts';

test('@conv/store-kit exports these values', () => {
  expect(Object.keys(kit).sort()).toMatchInlineSnapshot(`
    [
      "AppendQueue",
      "Doorbell",
      "FeedReader",
      "LoadedJournal",
      "LoadedReader",
      "MAX_COMMIT_BYTES",
      "StoreUses",
      "Subscribers",
      "WatchableReader",
      "WriteAccess",
      "appendBody",
      "bodyBytes",
      "bodyJson",
      "checkStore",
      "commitJson",
      "commitTooLarge",
      "consecutiveNumbers",
      "copyConversation",
      "copyStore",
      "keptIn",
      "keptText",
      "numberedCommit",
      "readCommit",
      "readCommitBody",
      "settingsText",
      "stateAfter",
      "toCommitBody",
      "watchCommits",
      "withDamage",
    ]
  `);
});

test('@conv/store-kit/system exports these values', () => {
  expect(Object.keys(system).sort()).toEqual(['lifeOf', 'networkFileSystem', 'ownIdentity']);
});
