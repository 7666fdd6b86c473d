import { expect, test } from 'vitest';

import * as tool from '../../../src/contract/tool/index.ts';

test('@conv/core/tool exports these values', () => {
  expect(Object.keys(tool).toSorted()).toMatchInlineSnapshot(`
    [
      "ToolError",
      "actionOf",
      "defineTool",
      "isToolError",
      "isToolFactory",
      "text",
      "toolSchemas",
      "toolWires",
    ]
  `);
});
