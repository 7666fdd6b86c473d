import { expect, test } from 'vitest';

import * as tool from '../../../src/contract/tool/index.ts';

test('@conv/core/tool exports these values', () => {
  expect(Object.keys(tool).toSorted()).toMatchInlineSnapshot(`
    [
      "ToolError",
      "actionOf",
      "checkFreeToolName",
      "clientTool",
      "clientToolIssues",
      "defineTool",
      "isReservedToolName",
      "isToolError",
      "isToolFactory",
      "isToolSchema",
      "mcpWire",
      "nativeWire",
      "oversizedClientTools",
      "parseClientTool",
      "readClientTool",
      "runSchema",
      "text",
    ]
  `);
});
