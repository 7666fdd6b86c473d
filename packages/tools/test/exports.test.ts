import { expect, test } from 'vitest';

import * as tools from '../src/index.ts';

test('the package exports these names', () => {
  expect(Object.keys(tools)).toMatchInlineSnapshot(`
    [
      "executorTools",
      "fileEditor",
      "finishMcpLogin",
      "mcpLoginState",
      "isMcpError",
      "McpError",
      "mcpServers",
      "presetTools",
      "shellEnvironment",
      "taskTracker",
      "terminal",
    ]
  `);
});
