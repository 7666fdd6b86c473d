import type { Conversation, PendingAction } from '@conv/core';
import { allowsMore, approvalFor, approveAlways, kindOf, standingApprovals } from '@conv/turns';
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

test('P10: no approval stands for questions of an agent that is another program, which share one name', () => {
  expect(kindOf(call('request_permission'))).toBeUndefined();
  const kinds = standingApprovals(tagged('request_permission:UNKNOWN echo:UNKNOWN'));
  expect(kinds.map(({ tool }) => tool)).toEqual(['echo']);
  expect(approvalFor(call('request_permission'), kinds)).toBeUndefined();
});

test('P10: a standing approval ends at its time, and one of another program that cannot be read is none', () => {
  const at = (seconds: number): number =>
    standingApprovals(tagged('terminal:LOW@1000 echo:LOW@x other:LOW'), { now: () => seconds * 1000 }).length;
  expect([at(999), at(1000)]).toEqual([2, 1]);
});

test('P10: tags that approve for longer approve more', () => {
  const more = (held: string, wanted: string): boolean =>
    allowsMore({ alwaysapproved: held }, { alwaysapproved: wanted });
  expect(more('terminal:LOW@1000', 'terminal:LOW@2000')).toBe(true);
  expect(more('terminal:LOW@1000', 'terminal:LOW')).toBe(true);
  expect(more('terminal:MEDIUM', 'terminal:LOW@2000')).toBe(false);
});

test('an approval for a time replaces the same kind, and keeps a smaller approval that lasts longer', async () => {
  const state = { tags: { alwaysapproved: 'terminal:LOW terminal:MEDIUM' } };
  const settings = { setTags: async (tags: { alwaysapproved: string }) => void (state.tags = tags) };
  const conversation = { state, settings } as unknown as Conversation;
  await approveAlways(conversation, { tool: 'terminal', risk: 'MEDIUM' }, 60_000, { now: () => 1_000_000 });
  expect(state.tags.alwaysapproved).toBe('terminal:LOW terminal:MEDIUM@1060');
});

test('answers are read as they are typed, and anything else is no decision', () => {
  for (const text of ['y', 'Y', 'yes']) expect(decisionIn(text)).toBe('yes');
  for (const text of ['a', 'always']) expect(decisionIn(text)).toBe('always');
  expect(decisionIn('a 2h')).toEqual({ alwaysFor: 7_200_000 });
  expect(decisionIn('always 30 m')).toEqual({ alwaysFor: 1_800_000 });
  expect(decisionIn('n')).toEqual({ no: NO_REASON });
  expect(decisionIn('no, keep it')).toEqual({ no: 'keep it' });
  expect(decisionIn('e')).toEqual({ edit: '' });
  for (const text of ['e {"command": "ls"}', 'edit {"command": "ls"}', 'e{"command": "ls"}'])
    expect(decisionIn(text)).toEqual({ edit: '{"command": "ls"}' });
  for (const text of ['', 'nothing', 'exit', 'edited', 'yesterday', 'maybe', 'all', 'a 0h', 'a 2w'])
    expect(decisionIn(text)).toBeUndefined();
});
