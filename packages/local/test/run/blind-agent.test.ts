import type { AgentSession, StepContext } from '@conv/core';
import { agentMessage } from '@conv/core/events';
import { FaultyStore } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { open, story, texts } from '../support/bench.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

/** Answers without looking at what was said. */
class BlindAgent extends ScriptedAgent {
  readonly #before: (step: number) => Promise<unknown>;
  steps = 0;

  constructor(before: (step: number) => Promise<unknown>) {
    super();
    this.#before = before;
  }

  override async start(...given: Parameters<ScriptedAgent['start']>): Promise<AgentSession> {
    const step = async (context: StepContext): Promise<'finished'> => {
      const number = ++this.steps;
      await this.#before(number);
      await context.emit([agentMessage({ content: `answer ${number}`, llm_response_id: `response-${number}` })]);
      return 'finished';
    };
    return { ...(await super.start(...given)), step };
  }
}

test('an agent that never asks for the view answers a message during a step by one more step', async () => {
  const agent: BlindAgent = new BlindAgent(async (step) => {
    if (step === 1) await conversation.sendMessage('second');
  });
  const conversation = await open(new FaultyStore(), { agent });
  await conversation.sendMessage('first');
  expect(await conversation.run({ maxIterations: 20 })).toEqual({ status: 'finished', iterations: 2 });
  expect(await texts(conversation)).toEqual(['first', 'answer 1', 'second', 'answer 2']);
  await conversation.sendMessage('third');
  expect(await conversation.run({ maxIterations: 20 })).toEqual({ status: 'finished', iterations: 1 });
  expect(await story(conversation)).toBe('system user agent user agent user agent');
});
