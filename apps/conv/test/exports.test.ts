import { expect, test } from 'vitest';

import * as entry from '../src/index.ts';
import * as parts from '../src/parts.ts';

test('the package exports these values', () => {
  expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
    [
      "CommandError",
      "exitCodes",
      "runProgram",
    ]
  `);
  expect(Object.keys(parts).sort()).toMatchInlineSnapshot(`
    [
      "ConversationHere",
      "KEY_VARIABLE",
      "approvalLines",
      "atRest",
      "describeAction",
      "failureOf",
      "fieldsOf",
      "onServers",
      "onThisMachine",
      "paletteFor",
      "plain",
      "print",
      "programAgent",
      "readConversation",
      "riskAnalyzer",
      "textOf",
    ]
  `);
});
