import { expect, test } from 'vitest';

import * as acpAgent from '../src/index.ts';

test('@conv/acp-agent exports these values', () => {
  expect(Object.keys(acpAgent).sort()).toMatchInlineSnapshot(`
    [
      "AcpAgentError",
      "acpAgent",
      "acpAgents",
      "acpModels",
      "isAcpAgentError",
    ]
  `);
});
