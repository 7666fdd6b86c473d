import { expect, test } from 'vitest';

import * as core from '../src/index.ts';
import * as platform from '../src/platform/index.ts';
import * as store from '../src/store/index.ts';

// the names of ./events, ./messages and ./tool are pinned beside their own tests

test('@conv/core exports these values', () => {
  expect(Object.keys(core).sort()).toMatchInlineSnapshot(`
    [
      "CONFIRMATION_POLICIES",
      "CodedError",
      "ConversationError",
      "ConversationState",
      "Cursor",
      "EventLog",
      "EventMask",
      "FifoLock",
      "HOOK_MEMBERS",
      "MAX_HOOK_TIMEOUT",
      "REDACTED",
      "ReadonlyState",
      "SECRET_MASK",
      "SECRET_SOURCES",
      "STUCK_CODE",
      "STUCK_SENDER",
      "Subscriptions",
      "abortable",
      "checkOptionNames",
      "checks",
      "createConversationFactory",
      "describeValue",
      "errorText",
      "foldJournal",
      "fromStoreError",
      "fromWholeWord",
      "growingLog",
      "impliedSecretKind",
      "initialFields",
      "isAgent",
      "isConversationError",
      "keptJson",
      "markErrors",
      "maskJson",
      "parseConfirmationPolicy",
      "pastViews",
      "policies",
      "projections",
      "shouldConfirm",
      "truncateMiddle",
      "viewOf",
      "views",
    ]
  `);
});

test('@conv/core/store exports these values', () => {
  expect(Object.keys(store).sort()).toMatchInlineSnapshot(`
    [
      "MemoryStore",
      "StoreError",
      "conversationSummary",
      "forkCommits",
      "isStoreError",
      "listCursor",
      "listPage",
      "readEvents",
      "toCommitSeq",
      "toConversationId",
      "toConversationKey",
      "toEventIndex",
    ]
  `);
});

test('@conv/core/platform exports these values', () => {
  expect(Object.keys(platform).sort()).toMatchInlineSnapshot(`
    [
      "Backoff",
      "Turns",
      "isJsonObject",
      "isObject",
      "isSameJson",
      "isoNow",
      "secureRandom",
      "systemPlatform",
      "timers",
      "warn",
    ]
  `);
});

test('every class of error has a brand, so that copies of this package recognise each other', () => {
  const made = [core, store]
    .flatMap((module) => Object.entries(module))
    .filter(
      ([name, value]) =>
        name.endsWith('Error') &&
        name !== 'CodedError' &&
        typeof value === 'function' &&
        value.prototype instanceof Error,
    )
    .map(([, value]) => new (value as new (code: string, message: string) => Error)('CLOSED', 'm'));
  expect(made.map(({ name }) => name).sort()).toEqual(['ConversationError', 'StoreError']);
  for (const error of made) {
    const brands = Object.getOwnPropertySymbols(Object.getPrototypeOf(error)).map((symbol) => Symbol.keyFor(symbol));
    expect(brands).toEqual([expect.stringMatching(/^conv\..*\.error$/)]);
  }
});
