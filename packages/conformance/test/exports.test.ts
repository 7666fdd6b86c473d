import { expect, test } from 'vitest';

import * as conformance from '../src/index.ts';

test('@conv/conformance exports these values', () => {
  expect(Object.keys(conformance).sort()).toMatchInlineSnapshot(`
    [
      "ModelScript",
      "ScriptedAgent",
      "applicableCases",
      "conversationConformance",
      "registryConformance",
      "storeConformance",
      "suiteFeatures",
    ]
  `);
});
