import type { ExecutionStatus } from '@conv/core';
import { drafts, agentMessage } from '@conv/core/events';
import { expect, test } from 'vitest';

import { play, story } from '../support/bench.ts';
import { FakeHooks } from '../support/fake-hooks.ts';
import type { Script } from '../support/scripted-agent.ts';

/** Reminds itself of something behind its first words, and then gives its answer. */
const reminded: Script = {
  think: async ({ number, context }) => {
    if (number > 1) return 'The answer.';
    const words = agentMessage({ content: 'Almost.', llm_response_id: 'response-1' });
    await context.emit([words, drafts.environmentMessage('Give your answer as a whole.')]);
    return [];
  },
};

test('a run goes on behind words that the agent itself adds something to, and is at no time seen to rest', async () => {
  const { conversation, agent } = await play(reminded);
  await conversation.sendMessage('go');
  const statuses: ExecutionStatus[] = [];
  conversation.subscribe({ onStateChange: ({ executionStatus }) => void statuses.push(executionStatus) });
  expect(await conversation.run()).toEqual({ status: 'finished', iterations: 2 });
  expect(agent.requests).toBe(2);
  expect(await story(conversation, 2)).toBe('agent environment agent');
  expect(await conversation.finalResponse()).toBe('The answer.');
  expect(statuses.lastIndexOf('running')).toBe(statuses.indexOf('finished') - 1);
  expect(statuses).not.toContain('idle');
});

test('Stop hooks are asked about the answer alone', async () => {
  const asked: string[] = [];
  const hooks = new FakeHooks({
    Stop: (occasion) => {
      asked.push(occasion.message ?? '');
      return {};
    },
  });
  const { conversation } = await play(reminded, { hooks });
  await conversation.sendMessage('go');
  expect((await conversation.run()).status).toBe('finished');
  expect(asked).toEqual(['The answer.']);
});
