import { expect, test } from 'vitest';

import * as entry from '../src/index.ts';

test('the package exports these values', () => {
  expect(Object.keys(entry).toSorted()).toMatchInlineSnapshot(`
    [
      "ConversationHost",
      "DeferredInit",
      "NamedKeys",
      "SettingsStore",
      "UnusableInitError",
      "addKey",
      "agentServer",
      "auditTrail",
      "changePrivateFile",
      "checkIssuer",
      "checkWebhookEndpoints",
      "conversationIn",
      "executorServer",
      "guardAccess",
      "isSafeUrl",
      "keyDigests",
      "loginRecords",
      "nodeBody",
      "readKeys",
      "receiverRecords",
      "renewSecrets",
      "revokeKey",
      "safeHeaders",
      "serveStudio",
      "trialRecords",
      "usedToday",
      "waitingServer",
    ]
  `);
});
