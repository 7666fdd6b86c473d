import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { ConversationState } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { toConversationKey, type CallRecord } from '@conv/core/store';

import type { Figure } from '../figure.ts';
import { Place } from '../place.ts';

const LIMIT = 16 * 1024;

/** Bytes of the snapshot and of `base_state.json` after many model calls; the agent's own description is empty here. */
export async function stateSize(calls: number): Promise<readonly Figure[]> {
  await using place = new Place();
  const id = randomUUID();
  const store = place.store();
  const state = await ConversationState.open(await store.open(id, { owner: 'bench' }), { id });
  for (let call = 0; call < calls; call += 100) {
    await state.append([userMessage('next')], { records: Array.from({ length: 100 }, (_, at) => record(call + at)) });
  }
  await state.close();
  const folder = join(place.directory, toConversationKey(id));
  return [
    figure(`state.snapshot.bytes.${calls}`, statSync(join(folder, '.conv', 'snapshot')).size),
    figure(`state.base_state.bytes.${calls}`, readFileSync(join(folder, 'base_state.json')).byteLength),
  ];
}

function record(number: number): CallRecord {
  return {
    kind: 'model_call',
    usageId: 'agent',
    model: 'bench',
    cost: 0.001,
    promptTokens: 1000,
    completionTokens: 10,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    contextWindow: 128_000,
    latency: 1,
    responseId: `response-${number}`,
    timestamp: 1_800_000_000 + number,
  };
}

function figure(name: string, value: number): Figure {
  return {
    name,
    value,
    unit: 'bytes',
    baseline: null,
    ratio: null,
    target: { of: 'value', is: 'at most', limit: LIMIT },
  };
}
