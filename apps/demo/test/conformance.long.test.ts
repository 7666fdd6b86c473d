import { openaiCompatible } from '@conv/agent';
import {
  applicableCases,
  conversationConformance,
  type ConversationConformanceCase,
  type ConversationScript,
  type ConversationSuiteFeatures,
  type ConversationUnderTest,
  type ModelTurn,
} from '@conv/conformance';
import { inCi } from '@conv/testing-harness';
import { createModelServer, type ModelServer } from '@conv/testing-model-server';
import { describe, expect, onTestFinished, test } from 'vitest';

import { modelTurns } from './model-turns.ts';
import { realConversation, type RealConversationOptions } from './real-conversation.ts';

/** Milliseconds; machines are busy with other tests. */
const TIMEOUT = 60_000;

const features: ConversationSuiteFeatures = {
  fork: true,
  commits: true,
  kill: true,
  secrets: true,
  stuckDetection: true,
  models: true,
  condenser: true,
  toolConcurrency: true,
  goals: true,
  titles: true,
  clientTools: true,
  ownTools: true,
  answerCall: true,
  edits: true,
  rerunActions: true,
  outline: true,
  view: true,
};

const stacks: readonly RealConversationOptions[] = [
  { mirror: 'always', agentOnOpen: 'given' },
  { mirror: 'deferred', agentOnOpen: 'stored' },
];

const cases = applicableCases(conversationConformance, features);

describe.each(stacks)('on files with the mirror written $mirror, opened with the $agentOnOpen agent', (options) => {
  const asked = options === stacks[0] ? cases : inCi(cases, 3);
  for (const one of asked) test(one.name, () => check(one, options));
});

/** Passes when the behaviour is there and a provider would have taken every request. */
async function check({ run }: ConversationConformanceCase, options: RealConversationOptions): Promise<void> {
  const servers: ModelServer[] = [];
  const serve = async (turns: readonly ModelTurn[]): Promise<ModelServer> => {
    const server = await createModelServer({ script: modelTurns(turns), titles: 'script' });
    onTestFinished(() => server.close());
    servers.push(server);
    return server;
  };
  const make = async (script: ConversationScript): Promise<ConversationUnderTest> => {
    const under = await realConversation(await serve(script.turns), script, options);
    return {
      ...under,
      model: async (turns) => openaiCompatible('another-model', { baseUrl: (await serve(turns)).url }),
    };
  };
  await run({ make, waitTimeout: TIMEOUT });
  expect(servers.flatMap(({ violations }) => violations)).toEqual([]);
  const steps = servers.flatMap(({ requests }) => requests.filter(({ tools }) => tools.length > 0));
  expect(steps.filter(({ stream }) => !stream)).toEqual([]);
}
