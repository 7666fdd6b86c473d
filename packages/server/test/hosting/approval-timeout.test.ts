import { MemoryStore } from '@conv/core/store';
import { expect, test } from 'vitest';

import { agentServer } from '../../src/plugin.ts';
import { ScriptedAgents } from '../support/scripted-agents.ts';

test.each([0, -1, Number.NaN, '1h'])('a server whose questions wait for %s is not made', (approvalTimeout) => {
  const options = { store: new MemoryStore(), persistenceDir: '/x', agents: new ScriptedAgents({}, []) };
  expect(() => agentServer({ ...options, approvalTimeout: approvalTimeout as number })).toThrow(
    'agentServer: approvalTimeout: expected milliseconds above 0',
  );
});
