import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { LlmMessage } from '@conv/openhands/messages';
import type { Platform } from '@conv/core/platform';
import type { CallRecord } from '@conv/core/store';
import { type MaskText, maskNothing } from '../../base/mask-text.ts';
import { answerMessage, type RawAnswer } from './answer.ts';
import { callRecord } from './call-record.ts';
import { firstToAnswer } from './first-to-answer.ts';
import type { Model } from '../model.ts';
import { isLlmError } from '../llm-error.ts';
import { keysOf } from '../keys-of.ts';
import { sentSettings, takesStop } from './sent-settings.ts';
import { fromProviderError } from './provider-error.ts';
import { type Delta, StreamedAnswer } from './read-stream.ts';
import { rememberRefused, wasRefused } from './refused-thinking.ts';
import { withRetries } from '../retry.ts';
import { SilenceLimit } from './silence-limit.ts';
import { toPrompt } from '../prompt/to-prompt.ts';
import { wholeLoops } from '../prompt/whole-loops.ts';
import { withReadCalls } from '../text-calls/read-calls.ts';
import { ShownPieces } from './shown-pieces.ts';
import { END_OF_CALL } from '../text-calls/call-tags.ts';
import { withCallsAsText } from '../text-calls/write-calls.ts';
import { defined } from '../../base/defined.ts';

const DEFAULT_TIMEOUT = 300_000;

export interface CompletionRequest {
  readonly platform: Platform;
  readonly messages: readonly LlmMessage[];
  readonly tools?: readonly LanguageModelV4FunctionTool[];
  /**
   * True if the model may call the tools. `false`: the tools are only named, and only for a provider that asks for that
   * because the history calls them. Default `true`.
   */
  readonly mayCall?: boolean;
  readonly usageId: string;
  readonly signal: AbortSignal;
  /** Masks the parts of the history that errors repeat. Default: only keys are masked. */
  readonly mask?: MaskText;
  /** If given, the answer is streamed to it. `attempt` counts from 1; with a new attempt earlier pieces are void. */
  readonly onDelta?: ((delta: Delta, attempt: number) => void) | undefined;
}

/** The answer to a question. */
export interface Completion {
  readonly message: LlmMessage;
  readonly responseId: string;
  /** True if the provider stopped the model because of its content. */
  readonly refused: boolean;
  readonly record: CallRecord;
}

/**
 * Asks a model, again after transient errors, and then its fallbacks. Rejects `LlmError`, or `signal.reason` untouched.
 */
export function complete(model: Model, request: CompletionRequest): Promise<Completion> {
  // Tries are counted over all models: a new try voids the pieces that a consumer was shown before, from whichever
  // model.
  const tries: Tries = { count: 0 };
  return firstToAnswer(model, request.signal, (one) => completeWith(one, request, tries));
}

/** The attempts of one question so far. */
interface Tries {
  count: number;
}

async function completeWith(model: Model, request: CompletionRequest, tries: Tries): Promise<Completion> {
  const ask = (): Promise<Completion> =>
    withRetries(() => askOnce(model, request, (tries.count += 1)), request, model.retry);
  try {
    return await ask();
  } catch (error) {
    // Without this, a provider would forever refuse a history that holds the thinking of another model.
    if (!isLlmError(error) || !error.refusesThinking || !rememberRefused(model, request.messages)) throw error;
    return ask();
  }
}

async function askOnce(model: Model, request: CompletionRequest, attempt: number): Promise<Completion> {
  const { platform } = request;
  const startedAt = platform.now();
  try {
    const answer = await answerOf(model, callOptions(model, request), request, attempt);
    return await toCompletion(model, request, answer, startedAt);
  } catch (error) {
    const { signal, mask = maskNothing } = request;
    throw signal.aborted
      ? signal.reason
      : fromProviderError(error, { model: model.name, secrets: keysOf(model), mask, now: platform.now() });
  }
}

function callOptions(model: Model, request: CompletionRequest): LanguageModelV4CallOptions {
  const { messages, tools = [], mayCall = true } = request;
  const { providerOptions, ...settings } = sentSettings(model);
  const writesCalls = model.textCalls === true;
  // Anthropic refuses a history with calls unless the tools are named.
  const isNamed = !writesCalls && tools.length > 0 && (mayCall || model.api === 'messages');
  const whole = wholeLoops(messages, model.api, (message) => wasRefused(model, message));
  return {
    ...settings,
    prompt: toPrompt(writesCalls ? withCallsAsText(whole, mayCall ? tools : []) : whole, model),
    ...(isNamed && { tools: [...tools], toolChoice: { type: mayCall ? 'auto' : 'none' } }),
    ...(maySendStop(model, request) && { stopSequences: [END_OF_CALL] }),
    // Do not store at the provider: a conversation would depend on data that the provider may delete.
    ...(model.api === 'responses'
      ? { providerOptions: { ...providerOptions, openai: { store: false, ...providerOptions?.['openai'] } } }
      : defined({ providerOptions })),
  };
}

/** True if the model writes the calls that it may make in this request. */
function mayWriteCalls({ textCalls }: Model, { tools = [], mayCall = true }: CompletionRequest): boolean {
  return textCalls === true && mayCall && tools.length > 0;
}

function maySendStop(model: Model, request: CompletionRequest): boolean {
  return mayWriteCalls(model, request) && takesStop(model);
}

async function answerOf(
  model: Model,
  options: LanguageModelV4CallOptions,
  request: CompletionRequest,
  attempt: number,
): Promise<RawAnswer> {
  const { languageModel, name, timeout = DEFAULT_TIMEOUT, idleTimeout } = model;
  const { platform, signal, onDelta } = request;
  const silence = new SilenceLimit({ platform, limit: timeout, between: idleTimeout, model: name, signal });
  const call = { ...options, abortSignal: silence.signal };
  try {
    if (onDelta !== undefined) {
      const { stream } = await silence.race(languageModel.doStream(call));
      const pieces = mayWriteCalls(model, request) ? new ShownPieces() : undefined;
      const show = (delta: Delta): void => onDelta(delta, attempt);
      const answer = await readStream(
        stream,
        name,
        silence,
        pieces ? (delta) => pieces.add(delta).forEach(show) : show,
      );
      pieces?.end().forEach(show);
      return answer;
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

async function toCompletion(
  model: Model,
  request: CompletionRequest,
  answer: RawAnswer,
  startedAt: number,
): Promise<Completion> {
  const { platform, usageId } = request;
  const { content, finishReason, usage } = answer;
  const responseId = answer.responseId || `response-${platform.id()}`;
  const message = answerMessage(content, model.api);
  return {
    message: mayWriteCalls(model, request) ? withReadCalls(message, finishReason.unified) : message,
    responseId,
    refused: finishReason.unified === 'content-filter',
    record: await callRecord(model, { usageId, usage, responseId, startedAt, endedAt: platform.now() }),
  };
}
