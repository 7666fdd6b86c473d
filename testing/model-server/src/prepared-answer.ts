import type { Answer, ScriptedCall } from './turn.ts';
import type { Identifiers } from './identifiers.ts';
import type { ModelRequest } from './model-request.ts';
import { countUsage, type TokenUsage } from './token-usage.ts';

/** A tool call with everything decided. */
export interface PreparedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly chunks: readonly string[];
}

/** An answer with everything decided, before an endpoint puts it into its own words. */
export interface PreparedAnswer {
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly text: readonly string[];
  readonly reasoning: readonly string[];
  readonly calls: readonly PreparedCall[];
  readonly finishReason: NonNullable<Answer['finishReason']>;
  readonly usage: TokenUsage;
}

/** Dependencies of {@link prepareAnswer} beside the answer. */
export interface AnswerContext {
  readonly ids: Identifiers;
  readonly callPrefix: string;
  readonly created: number;
  readonly chunkSize: number;
  readonly cachedTokens: number;
}

/** Decides what the script left open: ids, chunks, finish reason, usage. */
export function prepareAnswer(answer: Answer, request: ModelRequest, context: AnswerContext): PreparedAnswer {
  const taken = new Set(request.messages.flatMap((message) => message.toolCalls.map((made) => made.id)));
  const text = chunksOf(answer.text ?? '', context.chunkSize);
  const reasoning = chunksOf(answer.reasoning ?? '', context.chunkSize);
  const calls = (answer.toolCalls ?? []).map((scripted) => {
    const id = scripted.id ?? context.ids.next(context.callPrefix, (candidate) => taken.has(candidate));
    return prepareCall(scripted, id, context.chunkSize);
  });
  return {
    model: answer.model ?? request.model,
    created: context.created,
    text,
    reasoning,
    calls,
    finishReason: answer.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    usage: countUsage(request, { text, reasoning, calls }, context.cachedTokens, answer.usage),
  };
}

function prepareCall(scripted: ScriptedCall, id: string, chunkSize: number): PreparedCall {
  const given = scripted.arguments ?? {};
  const chunks = isChunks(given)
    ? given
    : chunksOf(typeof given === 'string' ? given : JSON.stringify(given), chunkSize);
  return { id, name: scripted.name, arguments: chunks.join(''), chunks };
}

function isChunks(value: object | string): value is readonly string[] {
  return Array.isArray(value) && value.every((chunk) => typeof chunk === 'string');
}

function chunksOf(text: string | readonly string[], size: number): readonly string[] {
  if (typeof text !== 'string') return text;
  // By code points: a surrogate pair cut in two could not be sent as UTF-8.
  const points = Array.from(text);
  const count = Math.ceil(points.length / size);
  return Array.from({ length: count }, (_, index) => points.slice(index * size, (index + 1) * size).join(''));
}
