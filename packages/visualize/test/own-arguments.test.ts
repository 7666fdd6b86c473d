import { drafts, type Action, type ActionEvent } from '@conv/core/events';
import { expect, test } from 'vitest';

import { ownArguments } from '../src/timeline/index.ts';

/** A call as the model made it, with the action that its tool gets. */
function call(args: object | string, action?: Action): Pick<ActionEvent, 'action' | 'tool_call'> {
  const json = typeof args === 'string' ? args : JSON.stringify(args);
  const made = drafts.action({
    tool_name: 'tool',
    tool_call_id: 'one',
    tool_call: { id: 'one', name: 'tool', arguments: json, origin: 'completion' },
    llm_response_id: 'response',
    ...(action ? { action } : {}),
  });
  return made as unknown as ActionEvent;
}

const ADDED = { security_risk: 'LOW', summary: 'Do it' };

test.each([
  ['of MCP', { kind: 'MCPToolAction', data: { id: 7 } }],
  ['with an event kind of its own', { kind: 'TicketAction', id: 7 }],
] as const)('own arguments of a tool %s are without the parameters that agents add', (_, action) => {
  expect(ownArguments(call({ ...ADDED, id: 7 }, action as Action))).toEqual({ id: 7 });
});

test.each([
  ['of MCP', { kind: 'MCPToolAction', data: { id: 7, summary: 'Do it' } }],
  ['with an event kind of its own', { kind: 'TicketAction', id: 7, summary: 'Do it' }],
  ['that ends with an object', { kind: 'FinishAction', message: '{"id":7,"summary":"Do it"}' }],
] as const)('own arguments of a tool %s keep a parameter that the tool itself has', (_, action) => {
  expect(ownArguments(call({ ...ADDED, id: 7 }, action as Action))).toEqual({ id: 7, summary: 'Do it' });
});

test('own arguments are none for a call that is no JSON object', () => {
  expect(ownArguments(call('no JSON'))).toBeUndefined();
  expect(ownArguments(call('[1]'))).toBeUndefined();
});
