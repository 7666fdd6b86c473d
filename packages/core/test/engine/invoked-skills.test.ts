import { expect, test } from 'vitest';

import { userMessage, type ActionEvent, type EventDraft } from '../../src/events/index.ts';
import { action, observation } from '../../src/events/tool-call-drafts.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';

test('P6: the skills whose text the model got are in the state, each once, and refused ones are not', async () => {
  const state = new ConversationState();
  await state.append([userMessage('go')]);
  for (const [name, failed] of [
    ['pdf', false],
    ['secret', true],
    ['git', false],
    ['pdf', false],
  ] as const) {
    await read(state, name, failed);
  }
  expect(state.invokedSkills).toEqual(['pdf', 'git']);
  const folded = new ConversationState();
  await folded.append((await state.events.slice()) as readonly EventDraft[]);
  expect(folded.invokedSkills).toEqual(['pdf', 'git']);
});

test('another observation that has a member of this name is not a skill', async () => {
  const state = new ConversationState();
  await state.append([userMessage('go')]);
  await read(state, 'pdf', false, 'LookObservation');
  expect(state.invokedSkills).toEqual([]);
});

let calls = 0;

async function read(
  state: ConversationState,
  name: string,
  failed: boolean,
  kind = 'InvokeSkillObservation',
): Promise<void> {
  calls += 1;
  const id = `call-${calls}`;
  const [called] = await state.append([
    action({
      action: { name, kind: 'InvokeSkillAction' },
      tool_name: 'invoke_skill',
      tool_call_id: id,
      tool_call: { id, name: 'invoke_skill', arguments: JSON.stringify({ name }), origin: 'completion' },
      llm_response_id: `response-${calls}`,
    }),
  ]);
  await state.append([observation(called as ActionEvent, { content: [], is_error: failed, skill_name: name, kind })]);
}
