import type { Consultation, SideAnswer } from '@conv/core';
import { isText, textContent } from '@conv/core/events';
import { complete } from '../model/completion/complete.ts';
import type { Stepper } from '../step/step.ts';

/** Asks the model a question that stands apart from the conversation. Rejects `LlmError`, or `signal.reason` untouched. */
export async function consultModel(
  { platform, model, mask }: Pick<Stepper, 'platform' | 'model' | 'mask'>,
  { instructions, question, usageId }: Consultation,
  signal: AbortSignal,
): Promise<SideAnswer> {
  const messages = [
    { role: 'system' as const, content: [textContent(instructions)], thinking_blocks: [] },
    { role: 'user' as const, content: [textContent(question)], thinking_blocks: [] },
  ];
  const { message, record } = await complete(model, { platform, messages, usageId, mask, signal });
  return {
    text: message.content
      .filter(isText)
      .map(({ text }) => text)
      .join('\n'),
    record,
  };
}
