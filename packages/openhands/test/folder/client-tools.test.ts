import { expect, test } from 'vitest';

import type { JsonObject } from '@conv/core';
import { fromBaseState, fromMeta, toBaseState, toMeta } from '../../src/folder/index.ts';
import { initialFields, type StateFields } from '@conv/core';

const terminal = { name: 'terminal', params: {} };
const ask = {
  name: 'ask',
  description: 'Asks.',
  parameters: { type: 'object', properties: { question: { type: 'string' } } },
};
const state: StateFields = {
  ...initialFields,
  id: '01234567-89ab-4cde-8f01-23456789abcd',
  agent: { kind: 'Agent', tools: [terminal] },
  clientTools: [ask, { ...ask, name: 'tell', annotations: { readOnlyHint: true } }],
};

test('client tools stand in meta.json, and with their specs among the tools of the agent', () => {
  const specs = [
    { ...ask, annotations: null },
    { ...ask, name: 'tell', annotations: { readOnlyHint: true } },
  ];
  expect(toMeta(state, '')['client_tools']).toEqual(specs);
  expect(toBaseState(state)['agent']).toEqual({
    kind: 'Agent',
    tools: [terminal, ...specs.map((spec) => ({ name: spec.name, params: { spec } }))],
  });
});

test('client tools are read back from either file, and the agent is as it was', () => {
  const base = JSON.parse(JSON.stringify(toBaseState(state))) as JsonObject;
  const meta = JSON.parse(JSON.stringify(toMeta(state, ''))) as JsonObject;
  const { agent, clientTools } = state;
  expect(fromBaseState(base)).toMatchObject({ agent, clientTools });
  expect(fromMeta(meta)).toMatchObject({ clientTools });
  // a plain SDK keeps no meta.json, and a server's without client tools takes none away
  expect(fromMeta({ client_tools: [] })).not.toHaveProperty('clientTools');
});

test('a tool of the agent with a parameter called spec is not a client tool', () => {
  const tools = [
    { name: 'other', params: { spec: { ...ask } } },
    { name: 'ask', params: { spec: { name: 'ask' } } },
    { name: 'bare' },
  ];
  const { agent, clientTools } = fromBaseState({ agent: { tools } });
  expect(agent).toEqual({ tools });
  expect(clientTools).toEqual([]);
});
