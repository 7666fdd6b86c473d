import {
  applicableCases,
  conversationConformance,
  type ConversationConformanceCase,
  type ConversationScript,
  type ConversationUnderTest,
} from '@conv/core/conformance';
import type { Tool } from '@conv/core/tool';
import { createModelServer, type ModelServer } from '@conv/testing-model-server';
import { describe, expect, onTestFinished, test } from 'vitest';

import { modelTurns } from './model-turns.ts';
import { realConversation, type RealConversationOptions } from './real-conversation.ts';

/** Milliseconds; machines are busy with other tests. */
const PATIENCE = 20_000;

const features = { fork: true, commits: true, kill: true };

const stacks: readonly RealConversationOptions[] = [
  { view: 'always', agentOnOpen: 'given' },
  { view: 'deferred', agentOnOpen: 'stored' },
];

// The case has a model say the risk of a tool that only reads, for which no model is asked (events.md §6.2, §8.2).
const UNASKED = 'P10: with an analyzer, ConfirmRisky asks for calls of at least its threshold';

const cases = applicableCases(conversationConformance, features);
const contradicting = cases.filter(({ name }) => name === UNASKED);

describe.each(stacks)('on files with the view written $view, opened with the $agentOnOpen agent', (options) => {
  for (const one of cases.filter((each) => !contradicting.includes(each))) test(one.name, () => check(one, options));

  for (const one of contradicting) {
    test.fails(one.name, () => check(one, options));
    test(`${one.name}, of a tool that writes`, () => check(one, options, writing));
  }
});

/** Passes when the behaviour is there and a provider would have taken every request. */
async function check(
  { run }: ConversationConformanceCase,
  options: RealConversationOptions,
  changed: (script: ConversationScript) => ConversationScript = (script) => script,
): Promise<void> {
  const servers: ModelServer[] = [];
  const make = async (given: ConversationScript): Promise<ConversationUnderTest> => {
    const script = changed(given);
    const server = await createModelServer({ script: modelTurns(script.turns) });
    onTestFinished(() => server.close());
    servers.push(server);
    return realConversation(server, script, options);
  };
  await run({ make, patience: PATIENCE });
  expect(servers.flatMap(({ violations }) => violations)).toEqual([]);
  const steps = servers.flatMap(({ requests }) => requests.filter(({ tools }) => tools.length > 0));
  expect(steps.filter(({ stream }) => !stream)).toEqual([]);
}

function writing({ tools = [], ...script }: ConversationScript): ConversationScript {
  return { ...script, tools: tools.map((tool): Tool => ({ ...tool, annotations: { readOnly: false } })) };
}
