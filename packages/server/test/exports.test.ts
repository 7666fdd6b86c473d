import { expect, test } from 'vitest';

import * as access from '../src/access.ts';
import * as main from '../src/index.ts';
import * as protocols from '../src/protocols.ts';
import * as records from '../src/records.ts';

test('@conv/server exports these values', () => {
  expect(Object.keys(main).toSorted()).toMatchInlineSnapshot(`
    [
      "DeferredInit",
      "UnusableInitError",
      "agentServer",
      "checkWebhookEndpoints",
      "conversationIn",
      "executorServer",
      "safeHeaders",
      "serveStudio",
      "waitingServer",
    ]
  `);
});

test('@conv/server/access exports these values', () => {
  expect(Object.keys(access).toSorted()).toMatchInlineSnapshot(`
    [
      "NamedKeys",
      "addKey",
      "checkIssuer",
      "guardAccess",
      "isSafeUrl",
      "keyDigests",
      "readKeys",
      "revokeKey",
    ]
  `);
});

test('@conv/server/protocols exports these values', () => {
  expect(Object.keys(protocols).toSorted()).toMatchInlineSnapshot(`
    [
      "nodeBody",
    ]
  `);
});

test('@conv/server/records exports these values', () => {
  expect(Object.keys(records).toSorted()).toMatchInlineSnapshot(`
    [
      "SettingsStore",
      "auditTrail",
      "changePrivateFile",
      "loginRecords",
      "receiverRecords",
      "renewSecrets",
      "trialRecords",
      "usedToday",
    ]
  `);
});
