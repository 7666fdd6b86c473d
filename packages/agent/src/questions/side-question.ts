import type { Event } from '@conv/core/events';
import type { AskResult } from '@conv/core';
import { complete } from '../model/completion/complete.ts';
import { LlmError } from '../model/llm-error.ts';
import { maskedDefinitions } from '../tools/masked-definitions.ts';
import { thoughtfulMessages } from '../model/prompt/reasoning-items.ts';
import { resultsBehindCalls } from '../model/prompt/results-behind-calls.ts';
import type { Stepper } from '../step/step.ts';
import { plainMessage, saidIn } from '../base/messages.ts';

/** The usage id under which side questions are counted, as in the reference. */
const USAGE_ID = 'ask-agent-llm';

/** Answers a question about a conversation from what its view shows. Rejects `NO_RESPONSE` when the model says nothing. */
export async function answerSideQuestion(
  { platform, model, tools, mask, repairs }: Pick<Stepper, 'platform' | 'model' | 'tools' | 'mask' | 'repairs'>,
  question: string,
  view: readonly Event[],
  signal: AbortSignal,
): Promise<AskResult> {
  const { message, record } = await complete(model, {
    platform,
    messages: [...resultsBehindCalls(thoughtfulMessages(repairs.apply(view))), plainMessage('user', wrapped(question))],
    tools: maskedDefinitions(tools, mask),
    mayCall: false,
    usageId: USAGE_ID,
    mask,
    signal,
  });
  const text = saidIn(message).trim();
  if (text === '') throw new LlmError('NO_RESPONSE', `${model.name}: expected a text as the answer, found none`);
  return { text, record };
}

function wrapped(question: string): string {
  return `A question on the side, which is not part of the work. Answer it in words, briefly, from what you know of this conversation so far. Call no tool and start nothing.

<question>
${question}
</question>`;
}
