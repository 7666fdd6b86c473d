import { expect, test } from 'vitest';

import { sessionState } from '../src/session-state.ts';

const FIELDS = { id: 'one', stats: {} };

test('a state of a program that is damaged at rest ends its calls, and counts the cost', () => {
  const agentState = {
    acp_session_id: 7,
    acp_prompted: ['x'],
    acp_open_calls: { haul: 'Haul', reef: null, tack: { title: 'Tack' } },
    acp_cost_before: 'much',
  };
  expect(sessionState({ ...FIELDS, agentState }, [], '/work')).toEqual({
    sessionId: undefined,
    openCalls: { haul: 'Haul', reef: 'reef', tack: 'tack' },
    counted: 0,
  });
  expect(sessionState({ ...FIELDS, agentState: { acp_open_calls: ['haul'] } }, [], '/work').openCalls).toEqual({});
});
