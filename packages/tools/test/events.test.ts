import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { parseEvent } from '@conv/core/events';
import type { ToolFactory } from '@conv/core/tool';
import { expect, test } from 'vitest';

import { fileEditor, taskTracker, terminal } from '../src/index.ts';
import { openTool } from './open-tool.ts';

const base = {
  id: '9d3191ea-73a8-45a4-b6f9-66e074ab5de3',
  timestamp: '2026-11-20T04:19:44.071974',
  tool_call_id: 'call',
};

/** The call and its result as the events that a conversation would keep; throws when they are none. */
async function asEvents(factory: ToolFactory, input: Record<string, unknown>): Promise<void> {
  const { tool, call, session } = await openTool(factory);
  writeFileSync(join(session.workingDirectory, 'a.txt'), 'one\n');
  const named = 'path' in input ? { ...input, path: join(session.workingDirectory, String(input['path'])) } : input;
  const action = tool.wire.toAction(tool.parse(named));
  const observation = tool.wire.toObservation(await call(named), action);
  const tool_name = tool.name;
  parseEvent({ ...base, source: 'environment', tool_name, observation, action_id: base.id, kind: 'ObservationEvent' });
  parseEvent({
    ...base,
    source: 'agent',
    thought: [],
    tool_name,
    action,
    tool_call: { id: 'call', name: tool_name, arguments: '{}', origin: 'completion' },
    llm_response_id: 'response',
    kind: 'ActionEvent',
  });
  parseEvent({
    ...base,
    source: 'agent',
    system_prompt: { type: 'text', text: '' },
    tools: [tool.wire.definition],
    kind: 'SystemPromptEvent',
  });
  expect(JSON.stringify(observation).length).toBeLessThan(1 << 20);
}

test.each([
  ['a command', { command: 'echo hi' }],
  ['a failing command', { command: 'exit 3' }],
  ['a command that runs on', { command: 'cat', timeout: 0.1 }],
  ['long output', { command: 'seq 1 100000' }],
  ['a refusal', { command: '', is_input: true }],
  ['a reset', { command: '', reset: true }],
])('terminal: %s is made of valid events', async (_, input) => {
  await asEvents(terminal(), input);
});

test.each([
  ['a view', { command: 'view', path: 'a.txt' }],
  ['a view of a folder', { command: 'view', path: '.' }],
  ['a creation', { command: 'create', path: 'b.txt', file_text: 'x' }],
  ['a replacement', { command: 'str_replace', path: 'a.txt', old_str: 'one', new_str: 'two' }],
  ['an insertion', { command: 'insert', path: 'a.txt', insert_line: 1, new_str: 'two' }],
  ['a refusal', { command: 'undo_edit', path: 'a.txt' }],
])('file_editor: %s is made of valid events', async (_, input) => {
  await asEvents(fileEditor(), input);
});

test.each([
  ['a plan', { command: 'plan', task_list: [{ title: 'a' }] }],
  ['a view', {}],
])('task_tracker: %s is made of valid events', async (_, input) => {
  await asEvents(taskTracker(), input);
});
