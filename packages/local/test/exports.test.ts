import { expect, test } from 'vitest';

import * as main from '../src/index.ts';
import * as log from '../src/log.ts';

test('@conv/local exports these values', () => {
  expect(Object.keys(main).toSorted()).toMatchInlineSnapshot(`
    [
      "LocalConversation",
      "LocalWorkspace",
      "PastStates",
      "local",
      "openLocalConversation",
      "readOnlyJournal",
      "renewStoredSecrets",
    ]
  `);
});

test('@conv/local/log exports these values', () => {
  expect(Object.keys(log).toSorted()).toMatchInlineSnapshot(`
    [
      "EXPIRED",
      "SUPERSEDED",
      "WORKS_ALONE",
      "checkNewest",
      "decisionIn",
      "leavesSandbox",
      "setMeta",
    ]
  `);
});
