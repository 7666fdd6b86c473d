import { expect, test } from 'vitest';
import * as entry from '../src/index.ts';

test('the public names are these', () => {
  expect(Object.keys(entry).toSorted()).toMatchInlineSnapshot(`
    [
      "AgentError",
      "LlmError",
      "anthropic",
      "createAgent",
      "createAgentFactory",
      "createModel",
      "finishTool",
      "google",
      "isAgentError",
      "isLlmError",
      "modelFromDescription",
      "modelFromEnvironment",
      "openai",
      "openaiCompatible",
      "thinkTool",
    ]
  `);
});
