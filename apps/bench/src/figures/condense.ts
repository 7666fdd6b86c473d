import { randomUUID } from 'node:crypto';

import { createAgent, createModel, llmSummarizingCondenser, type CreateModelOptions } from '@conv/agent';
import { ConversationState, initialFields, type Agent } from '@conv/core';
import { drafts, userMessage, type EventDraft } from '@conv/core/events';
import { MemoryStore } from '@conv/core/store';
import { openLocalConversation } from '@conv/local';

import { timeBeside, type Figure } from '../figure.ts';

const CONDENSATIONS = 50;
const LARGE = 20_000;
const SMALL = 1000;
const EVENTS_PER_COMMIT = 200;

/**
 * Measures the cost of a step, without model, tool and device, in a long conversation that was condensed many times, against a
 * short conversation. The agent's condenser keeps condensing meanwhile. The two take turns, and the best round of each counts.
 */
export async function condensedStep(steps: number, rounds: number): Promise<readonly Figure[]> {
  const best = new Map([SMALL, LARGE].map((size) => [size, Infinity]));
  for (let round = 0; round < rounds; round++)
    for (const [size, before] of best) best.set(size, Math.min(before, await perStep(size, steps)));
  const [value, baseline] = [best.get(LARGE) ?? 0, best.get(SMALL) ?? 0];
  return [timeBeside({ name: `condense.step.${LARGE}`, value, baseline, limit: 1.3 })];
}

async function perStep(size: number, steps: number): Promise<number> {
  const store = new MemoryStore();
  const id = randomUUID();
  await fill(store, id, size);
  const conversation = await openLocalConversation(
    { storeAt: () => store },
    { store, id, agent: busyAgent(steps), workspace: process.cwd() },
  );
  await conversation.sendMessage('go on');
  await conversation.state.modelView();
  const start = performance.now();
  const { iterations } = await conversation.run({ maxIterations: steps * 2 });
  const value = (performance.now() - start) / iterations;
  await conversation.close();
  return value;
}

/** A log of `size` events of calls and results, condensed at equal distances to ten events. */
async function fill(store: MemoryStore, id: string, size: number): Promise<void> {
  const journal = await store.open(id, { owner: 'bench' });
  const agent = { kind: 'Agent', tools: [] };
  await journal.append(
    { id: randomUUID(), events: [], patch: { set: { ...initialFields, id, agent } } },
    initialFields,
  );
  const state = await ConversationState.open(journal);
  await state.append([drafts.systemPrompt('bench', []), userMessage('work')]);
  for (let condensed = 1; condensed <= CONDENSATIONS; condensed++) {
    const end = Math.floor((size / CONDENSATIONS) * condensed) - 1;
    while (state.end.event < end) {
      const rounds = Math.min(EVENTS_PER_COMMIT, end - state.end.event) / 2;
      await state.append(Array.from({ length: Math.ceil(rounds) }, callAndResult).flat());
    }
    await state.append([await condenseTo(state, 10)]);
  }
  await state.close();
}

async function condenseTo(state: ConversationState, kept: number): Promise<EventDraft> {
  const { events, cuts, offsets } = await state.condensableView();
  const end = cuts.findLast((cut) => cut <= events.length - kept) ?? 2;
  return drafts.condensation({
    forgotten_event_ids: events.slice(2, end).map((event) => event.id),
    summary: 'so far',
    summary_offset: offsets[2] ?? 0,
    llm_response_id: randomUUID(),
  });
}

function callAndResult(): readonly EventDraft[] {
  const [id, actionId] = [`call_${randomUUID()}`, randomUUID()];
  const call = drafts.action({
    action: { data: {}, kind: 'MCPToolAction' },
    tool_name: 'noop',
    tool_call_id: id,
    tool_call: { id, name: 'noop', arguments: '{}', origin: 'completion' },
    llm_response_id: `response_${id}`,
  });
  const result = { content: [{ type: 'text', text: 'done' }], tool_name: 'noop', kind: 'MCPToolObservation' } as const;
  return [{ ...call, id: actionId }, drafts.observation({ ...call, id: actionId }, result)];
}

/** The real agent with a model that calls a tool so many times and takes no time for it, nor for summaries. */
function busyAgent(steps: number): Agent {
  let answers = 0;
  const languageModel: CreateModelOptions['languageModel'] = {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'instant',
    supportedUrls: {},
    doGenerate: async ({ tools = [] }) => {
      const number = ++answers;
      const says = tools.length === 0 || number >= steps;
      const call = {
        type: 'tool-call',
        toolCallId: `c${number}`,
        toolName: 'think',
        input: '{"thought":"hm"}',
      } as const;
      return {
        content: [says ? { type: 'text', text: 'notes' } : call],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
        response: { id: `r${number}` },
      };
    },
    doStream: () => Promise.reject(new Error('nobody listens')),
  };
  return createAgent({ model: createModel({ languageModel }), condenser: llmSummarizingCondenser() });
}
