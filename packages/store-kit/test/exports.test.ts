import { expect, test } from 'vitest';

import * as kit from '../src/index.ts';

test('@conv/store-kit exports these values', () => {
  expect(Object.keys(kit).sort()).toMatchInlineSnapshot(`
    [
      "LoadedJournal",
      "LoadedReader",
      "checkStore",
      "copyConversation",
      "copyStore",
      "keptIn",
      "keptText",
      "settingsText",
      "withDamage",
    ]
  `);
});
