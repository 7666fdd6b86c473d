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
      "MAX_TITLE_LENGTH",
      "PastStates",
      "ReadonlyState",
      "SECRET_MASK",
      "SECRET_SOURCES",
      "SHARED_OPTIONS",
      "STUCK_CODE",
      "STUCK_SENDER",
      "Subscriptions",
      "ViewFold",
      "abortable",
      "applyCommit",
      "applyPatch",
      "checkCallOptions",
      "checkDecision",
      "checkEventId",
      "checkLimitNames",
      "checkLimits",
      "checkMaxIterations",
      "checkOptionNames",
      "checkSharedOptions",
      "checkTags",
      "checkTitle",
      "condensableView",
      "createConversationFactory",
      "describeValue",
      "emptyProjection",
      "errorText",
      "fetchWithinOrigin",
      "foldCommit",
      "foldJournal",
      "forkPatch",
      "fromStoreError",
      "fromWholeWord",
      "growingLog",
      "impliedSecretKind",
      "initialFields",
      "invalidOption",
      "isAgent",
      "isConfirmationModeActive",
      "isConversationError",
      "isPolicyActive",
      "maskJson",
      "messageParts",
      "modelEvents",
      "needsConfirmation",
      "parseConfirmationPolicy",
      "readOnlyJournal",
      "readPolicy",
      "readState",
      "shouldConfirm",
      "storedAnalyzer",
      "storedHooks",
      "storedPolicy",
      "strictSettings",
      "stricterPolicy",
      "toSnapshot",
      "truncateMiddle",
      "wrongValue",
    ]
  `);
});

test('@conv/core/store exports these values', () => {
  expect(Object.keys(store).sort()).toMatchInlineSnapshot(`
    [
      "MemoryStore",
      "StoreError",
      "checkListQuery",
      "checkOpenOptions",
      "conversationSummary",
      "forkCommits",
      "isStoreError",
      "listPage",
      "parseListCursor",
      "readEvents",
      "toCommitSeq",
      "toConversationId",
      "toConversationKey",
      "toEventIndex",
      "toListCursor",
    ]
  `);
});

test('@conv/core/platform exports these values', () => {
  expect(Object.keys(platform).sort()).toMatchInlineSnapshot(`
    [
      "Backoff",
      "deadline",
      "every",
      "isJsonObject",
      "isObject",
      "isSameJson",
      "isoNow",
      "secureRandom",
      "settlesWithin",
      "sleep",
      "systemPlatform",
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
    const brands = Object.getOwnPropertySymbols(error).map((symbol) => Symbol.keyFor(symbol));
    expect(brands).toEqual([expect.stringMatching(/^conv\..*\.error$/)]);
  }
});
