import { drafts, imageContent, textContent, type Action, type ActionEvent } from '@conv/core/events';
import { turnItems, type TurnItem } from '@conv/turns';
import { expect, test } from 'vitest';

import { SessionUpdates } from '../src/session-updates.ts';

function actionOf(action: Action, tool_name: string): ActionEvent {
  const tool_call = { id: 'call', name: tool_name, arguments: '{"a":1}', origin: 'completion' } as const;
  const draft = drafts.action({ action, tool_name, tool_call_id: 'call', tool_call, llm_response_id: 'r' });
  return { ...draft, id: 'action', timestamp: '2026-01-01T00:00:00' } as ActionEvent;
}

/** The items of a call, before and after its result. */
function call(
  action: Action,
  tool: string,
  observation?: Parameters<typeof drafts.observation>[1],
): readonly TurnItem[] {
  const event = actionOf(action, tool);
  const result = observation ? [{ ...drafts.observation(event, observation), id: 'result', timestamp: '' }] : [];
  return turnItems([event, ...result].map((each, index) => ({ event: each as ActionEvent, index })));
}

const told = (items: readonly TurnItem[]) => {
  const updates = new SessionUpdates(() => '/work');
  return items.flatMap((item) => updates.item(item));
};

test('an edit of a file is a diff at its absolute path, before and after it went through', () => {
  const edit: Action = { kind: 'FileEditorAction', command: 'str_replace', path: 'a.ts', old_str: 'x', new_str: 'y' };
  const diff = { type: 'diff', path: '/work/a.ts', oldText: 'x', newText: 'y' };
  expect(told(call(edit, 'file_editor'))).toMatchObject([
    {
      sessionUpdate: 'tool_call',
      toolCallId: 'action',
      kind: 'edit',
      status: 'pending',
      content: [diff],
      locations: [{ path: '/work/a.ts' }],
    },
  ]);
  const done = { kind: 'FileEditorObservation', command: 'str_replace', content: [textContent('Edited.')] } as const;
  expect(told(call(edit, 'file_editor', done))).toMatchObject([{ status: 'completed', content: [diff] }]);
  const failed = { ...done, is_error: true };
  const why = { type: 'content', content: { type: 'text', text: 'Edited.' } };
  expect(told(call(edit, 'file_editor', failed))).toMatchObject([{ status: 'failed', content: [diff, why] }]);
});

test('a file that is made is a diff from nothing, and a file that is viewed is read at its line', () => {
  const made: Action = { kind: 'FileEditorAction', command: 'create', path: '/a', file_text: 'new' };
  expect(told(call(made, 'file_editor'))).toMatchObject([{ content: [{ path: '/a', oldText: null, newText: 'new' }] }]);
  const viewed: Action = { kind: 'FileEditorAction', command: 'view', path: '/a', view_range: [3, 9] };
  expect(told(call(viewed, 'file_editor'))).toMatchObject([{ kind: 'read', locations: [{ path: '/a', line: 3 }] }]);
});

test('a command has itself as its title, and its output in a fence that the output cannot end', () => {
  const output = { kind: 'TerminalObservation', command: 'ls', content: [textContent('a\n```\nb')] } as const;
  const [update] = told(call({ kind: 'TerminalAction', command: 'ls' }, 'terminal', output as never));
  const text = '````\na\n```\nb\n````';
  expect(update).toMatchObject({ title: 'ls', kind: 'execute', content: [{ content: { type: 'text', text } }] });
});

test('the output of a running command is shown as it comes, and no longer than an editor bears', () => {
  const updates = new SessionUpdates(() => '/');
  for (const item of call({ kind: 'TerminalAction', command: 'ls' }, 'terminal')) updates.item(item);
  const output = (text: string) => updates.take({ type: 'output', toolCallId: 'call', text, cursor: 0 });
  expect(output('one\n')).toMatchObject([{ toolCallId: 'action', status: 'in_progress' }]);
  expect(JSON.stringify(output('two\n'))).toContain('one\\ntwo');
  expect(JSON.stringify(output('x'.repeat(100_000))).length).toBeLessThan(11_000);
  expect(updates.take({ type: 'output', toolCallId: 'unknown', text: 'x', cursor: 0 })).toEqual([]);
});

test('images of a result are images, and images at other places are links', () => {
  const content = [imageContent('data:image/png;base64,AAAA'), imageContent('https://example.org/a.png')];
  const seen = { kind: 'MCPToolObservation', tool_name: 'look', content } as const;
  expect(told(call({ kind: 'MCPToolAction', data: {} }, 'look', seen))).toMatchObject([
    {
      content: [
        { content: { type: 'image', mimeType: 'image/png', data: 'AAAA' } },
        { content: { type: 'resource_link', uri: 'https://example.org/a.png' } },
      ],
    },
  ]);
});

test('a finish call is told as the answer that it gives', () => {
  const items = call({ kind: 'FinishAction', message: 'Done.' }, 'finish', { kind: 'FinishObservation' });
  expect(told(items)).toMatchObject([{ sessionUpdate: 'agent_message_chunk', content: { text: 'Done.' } }]);
});
