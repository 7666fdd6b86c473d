import { randomUUID } from 'node:crypto';
import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { LlmMessage } from '@conv/core/messages';
import type { CallRecord } from '@conv/core/store';
import { type MaskText, maskNothing } from '../mask-text.ts';
import { answerMessage, type RawAnswer } from './answer.ts';
import { callRecord } from './call-record.ts';
import type { Model } from './model.ts';
import { keysOf } from './keys-of.ts';
import { fromProviderError } from './provider-error.ts';
import { type Delta, StreamedAnswer } from './read-stream.ts';
import { withRetries } from './retry.ts';
import { SilenceLimit } from './silence-limit.ts';
import { toPrompt } from './to-prompt.ts';
import { wholeLoops } from './whole-loops.ts';

const DEFAULT_TIMEOUT = 300_000;

/** One question to a model. */
export interface CompletionRequest {
  readonly messages: readonly LlmMessage[];
  readonly tools?: readonly LanguageModelV4FunctionTool[];
  /** `false`: the tools are only named, because the history calls them. Default `true`. */
  readonly mayCall?: boolean;
  readonly usageId: string;
  readonly signal: AbortSignal;
  /** For what errors repeat of the history. Default: nothing is masked but keys. */
  readonly mask?: MaskText;
  /** Given: the answer is streamed. `attempt` counts from 1; with a new one earlier pieces are void. */
  readonly onDelta?: ((delta: Delta, attempt: number) => void) | undefined;
}

/** The answer to a question. */
export interface Completion {
  readonly message: LlmMessage;
  readonly responseId: string;
  /** The provider stopped the model for what it was about to say. */
  readonly refused: boolean;
  readonly record: CallRecord;
}

/**
 * Asks a model, again after transient errors. Rejects `LlmError`, or `signal.reason` untouched.
 */
export async function complete(model: Model, request: CompletionRequest): Promise<Completion> {
  const options = callOptions(model, request);
  const subject = { model: model.name, secrets: keysOf(model), mask: request.mask ?? maskNothing };
  const ask = async (attempt: number): Promise<Completion> => {
    const startedAt = Date.now();
    try {
      const answer = await askOnce(model, options, request, attempt);
      return toCompletion(model, request, answer, startedAt);
    } catch (error) {
      throw request.signal.aborted ? request.signal.reason : fromProviderError(error, subject);
    }
  };
  return withRetries(ask, request.signal, model.retry);
}

function callOptions(model: Model, request: CompletionRequest): LanguageModelV4CallOptions {
  const { messages, tools = [], mayCall = true } = request;
  const { providerOptions, ...settings } = model.settings ?? {};
  return {
    ...settings,
    prompt: toPrompt(wholeLoops(messages, model.api), model),
    ...(tools.length === 0 ? {} : { tools: [...tools], toolChoice: { type: mayCall ? 'auto' : 'none' } }),
    // Stored at the provider a conversation would depend on what the provider forgets.
    ...(model.api === 'responses'
      ? { providerOptions: { ...providerOptions, openai: { store: false, ...providerOptions?.['openai'] } } }
      : providerOptions === undefined
        ? {}
        : { providerOptions }),
  };
}

async function askOnce(
  { languageModel, name, timeout = DEFAULT_TIMEOUT }: Model,
  options: LanguageModelV4CallOptions,
  { signal, onDelta }: CompletionRequest,
  attempt: number,
): Promise<RawAnswer> {
  const silence = new SilenceLimit(timeout, name, signal);
  const call = { ...options, abortSignal: silence.signal };
  try {
    if (onDelta !== undefined) {
      const { stream } = await silence.race(languageModel.doStream(call));
      return await readStream(stream, name, silence, (delta) => onDelta(delta, attempt));
    }
    const { content, finishReason, usage, response } = await silence.race(languageModel.doGenerate(call));
    return { content, finishReason, usage, responseId: response?.id };
  } finally {
    silence.end();
  }
}

async function readStream(
  stream: Awaited<ReturnType<Model['languageModel']['doStream']>>['stream'],
  model: string,
  silence: SilenceLimit,
  onDelta: (delta: Delta) => void,
): Promise<RawAnswer> {
  const reader = stream.getReader();
  const answer = new StreamedAnswer();
  try {
    for (;;) {
      const { done, value } = await silence.race(reader.read());
      if (done) return answer.finish(model);
      silence.heard();
      const delta = answer.add(value);
      if (delta !== undefined) onDelta(delta);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function toCompletion(model: Model, request: CompletionRequest, answer: RawAnswer, startedAt: number): Completion {
  const { content, finishReason, usage } = answer;
  const responseId = answer.responseId || `response-${randomUUID()}`;
  const message = answerMessage(content, model.api);
  return {
    message,
    responseId,
    refused: finishReason.unified === 'content-filter',
    record: callRecord(model, { usageId: request.usageId, usage, responseId, startedAt, endedAt: Date.now() }),
  };
}
