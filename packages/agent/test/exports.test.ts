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
      "delegateTool",
      "ensembleSecurityAnalyzer",
      "finishTool",
      "google",
      "isAgentError",
      "isLlmError",
      "llmSecurityAnalyzer",
      "llmSummarizingCondenser",
      "loadAgentDefinitions",
      "loadProjectAgentDefinitions",
      "loadProjectSkills",
      "loadSkills",
      "modelFromDescription",
      "modelFromEnvironment",
      "modelProfiles",
      "noCondenser",
      "openai",
      "openaiCompatible",
      "patternSecurityAnalyzer",
      "pipelineCondenser",
      "policyRailSecurityAnalyzer",
      "responseOf",
      "reviveSecurityAnalyzer",
      "startChildTool",
      "storedModel",
      "storedModelWithProfiles",
      "taskTool",
      "thinkTool",
      "titleFor",
      "withFallbacks",
    ]
  `);
});
