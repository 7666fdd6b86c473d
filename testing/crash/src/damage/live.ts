import { ConversationState, type JsonObject, type StateFields } from '@conv/core';
import { drafts, agentMessage, userMessage, type ActionEvent } from '@conv/core/events';
import type { Journal } from '@conv/core/store';
import type { Random } from '@conv/testing-harness';

import { newCallId } from '../call-id.ts';
import type { Life } from './target.ts';

/** Plays the life of a conversation through a journal: a prompt, messages, calls with results, settings that become stricter. */
export async function live(journal: Journal, id: string, random: Random, steps: number): Promise<ConversationState> {
  const state = await ConversationState.open(journal, { id, createdAt: '2026-01-01T00:00:00.000Z' });
  if (state.end.event === 0) await state.append([drafts.systemPrompt('You are a test, and careful.', [])]);
  for (let step = 0; step < steps; step++) {
    await state.append([userMessage(`message ${step} ${'x'.repeat(random.between(0, 300))}`)]);
    if (random.chance(0.6)) await call(state, random);
    if (random.chance(0.5)) await state.update({ set: stricter(state, random) });
    await state.append([agentMessage({ content: `answer ${step}`, llm_response_id: newCallId(step) })]);
  }
  return state;
}

/** Returns the commits and fields acknowledged so far. */
export async function lifeOf(state: ConversationState): Promise<Life> {
  const commits = await Array.fromAsync(state.reader.commits());
  return { id: state.id, commits, fields: state.fields, view: await state.modelView() };
}

async function call(state: ConversationState, random: Random): Promise<void> {
  const id = newCallId(random.between(0, 1_000_000));
  const draft = drafts.action({
    tool_name: 'terminal',
    tool_call_id: id,
    tool_call: { id, name: 'terminal', arguments: '{"command":"ls"}', origin: 'completion' },
    llm_response_id: `response-${id}`,
    action: { kind: 'TerminalAction', command: 'ls' } as never,
  });
  const [event] = await state.append([draft]);
  const result = { kind: 'TerminalObservation', content: [], is_error: false, command: 'ls' } as never;
  await state.append([drafts.observation(event as ActionEvent, result)]);
}

function stricter({ maxIterations, maxBudget }: StateFields, random: Random): Partial<StateFields> {
  const changes: readonly Partial<StateFields>[] = [
    { maxIterations: Math.max(1, maxIterations - random.between(1, 50)) },
    { maxBudget: (maxBudget ?? 100) / 2 },
    { maxBudgetPerRun: random.between(1, 9) },
    { toolTimeout: random.between(1, 9) * 1000 },
    { hookConfig: { stop: [{ matcher: '*', hooks: [{ type: 'command', command: 'true' }] }] } as JsonObject },
    { securityAnalyzer: { kind: 'PatternSecurityAnalyzer' } },
    { confirmationPolicy: { kind: 'ConfirmRisky', threshold: 'MEDIUM', confirm_unknown: true } },
  ];
  return random.pick(changes);
}
