import type { Consultation, AskResult } from '@conv/core';
import { complete } from '../model/completion/complete.ts';
import type { Stepper } from '../step/step.ts';
import { plainMessage, saidIn } from '../base/messages.ts';

/** Asks the model a question that stands apart from the conversation. Rejects `LlmError`, or `signal.reason` untouched. */
export async function consultModel(
  { platform, model, mask }: Pick<Stepper, 'platform' | 'model' | 'mask'>,
  { instructions, question, usageId }: Consultation,
  signal: AbortSignal,
): Promise<AskResult> {
  const messages = [plainMessage('system', instructions), plainMessage('user', question)];
  const { message, record } = await complete(model, { platform, messages, usageId, mask, signal });
  return { text: saidIn(message), record };
}
