import { expect, test } from 'vitest';

import * as main from '../src/index.ts';

test('the public names are these', () => {
  expect(Object.keys(main).toSorted()).toMatchInlineSnapshot(`
    [
      "EXPIRED",
      "LocalConversation",
      "LocalWorkspace",
      "PastStates",
      "SUPERSEDED",
      "WORKS_ALONE",
      "checkNewest",
      "decisionIn",
      "leavesSandbox",
      "local",
      "openLocalConversation",
      "readOnlyJournal",
      "renewStoredSecrets",
      "setMeta",
    ]
  `);
});
