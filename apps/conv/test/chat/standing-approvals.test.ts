import type { Conversation, PendingAction } from '@conv/core';
import { approvalFor, kindOf, standingApprovals } from '@conv/turns';
import { expect, test } from 'vitest';

import { decisionIn, NO_REASON } from '../../src/chat/session/call-question.ts';

function call(tool: string, risk?: PendingAction['security_risk']): PendingAction {
  return { tool_name: tool, ...(risk && { security_risk: risk }), reasons: [] } as unknown as PendingAction;
}

function tagged(value: string): Pick<Conversation, 'state'> {
  return { state: { tags: { alwaysapproved: value } } } as unknown as Pick<Conversation, 'state'>;
}

test('P10: a standing approval covers its tool up to its risk, and nothing else', () => {
  const kinds = standingApprovals(tagged('terminal:MEDIUM file_editor:UNKNOWN'));
  const covered = (tool: string, risk?: PendingAction['security_risk']): boolean =>
    approvalFor(call(tool, risk), kinds) !== undefined;
  expect(covered('terminal', 'LOW')).toBe(true);
  expect(covered('terminal', 'MEDIUM')).toBe(true);
  for (const risk of ['HIGH', 'UNKNOWN', undefined] as const) expect(covered('terminal', risk)).toBe(false);
  expect(covered('file_editor')).toBe(true);
  for (const risk of ['LOW', 'MEDIUM', 'HIGH'] as const) expect(covered('file_editor', risk)).toBe(false);
  expect(covered('other', 'LOW')).toBe(false);
});

test('P10: a tag that another program wrote approves no call of high risk and nothing unreadable', () => {
  expect(standingApprovals(tagged('terminal:HIGH terminal: :LOW terminal:low * terminal'))).toEqual([]);
  expect(kindOf(call('terminal', 'HIGH'))).toBeUndefined();
});

test('answers are read as they are typed, and anything else is no decision', () => {
  for (const text of ['y', 'Y', 'yes']) expect(decisionIn(text)).toBe('yes');
  for (const text of ['a', 'always']) expect(decisionIn(text)).toBe('always');
  expect(decisionIn('n')).toEqual({ no: NO_REASON });
  expect(decisionIn('no, keep it')).toEqual({ no: 'keep it' });
  expect(decisionIn('e')).toEqual({ edit: '' });
  for (const text of ['e {"command": "ls"}', 'edit {"command": "ls"}', 'e{"command": "ls"}'])
    expect(decisionIn(text)).toEqual({ edit: '{"command": "ls"}' });
  for (const text of ['', 'nothing', 'exit', 'edited', 'yesterday', 'maybe', 'all'])
    expect(decisionIn(text)).toBeUndefined();
});
