import { expect, test } from 'vitest';

import * as kit from '../src/index.ts';
import * as registry from '../src/registry/index.ts';
import * as system from '../src/system/index.ts';

test('@conv/store-kit exports these values', () => {
  expect(Object.keys(kit).sort()).toMatchInlineSnapshot(`
    [
      "AppendQueue",
      "BaseStore",
      "ClosableStore",
      "Doorbell",
      "FeedReader",
      "JournalWrites",
      "LoadedJournal",
      "LoadedReader",
      "MAX_COMMIT_BYTES",
      "Subscribers",
      "WatchableReader",
      "acknowledge",
      "bodyBytes",
      "bodyJson",
      "checkByReading",
      "checkCommits",
      "checkConversation",
      "checkJournal",
      "checkMilliseconds",
      "checkStore",
      "columnsIn",
      "commitJson",
      "commitTooLarge",
      "consecutiveNumbers",
      "copyConversation",
      "copyStore",
      "existsAlready",
      "findEvent",
      "flushPace",
      "foreignLog",
      "foreignLogError",
      "forkState",
      "isOtherId",
      "isOtherSnapshot",
      "isStandIn",
      "keptIn",
      "keptText",
      "listPages",
      "notInStore",
      "numberedCommit",
      "numbersOf",
      "ownedBy",
      "readCommit",
      "readCommitBody",
      "selectPage",
      "settingsText",
      "standIns",
      "stateAfter",
      "summaryColumns",
      "summaryIn",
      "toCommitBody",
      "watchCommits",
      "withDamage",
    ]
  `);
});

test('@conv/store-kit/registry exports these values', () => {
  expect(Object.keys(registry).sort()).toEqual([
    'MAX_VALUE_BYTES',
    'MemoryRegistry',
    'RegistryError',
    'checkEntryName',
    'checkKind',
    'checkRegistry',
    'conflict',
    'encryptedRecords',
    'entryText',
    'isRegistryError',
    'listEntries',
    'listRows',
    'readEntries',
    'rowEntry',
    'storedRecord',
    'toRegistryError',
  ]);
});

test('@conv/store-kit/system exports these values', () => {
  expect(Object.keys(system).sort()).toEqual([
    'MountTable',
    'asListed',
    'checkValue',
    'checkedText',
    'crc32',
    'isRunning',
    'lifeOf',
    'lifeOfMark',
    'networkFileSystem',
    'ownIdentity',
    'processMark',
    'textIn',
  ]);
});
