import type {
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import type { RawAnswer } from './answer.ts';
import { LlmError } from '../llm-error.ts';
import { defined } from '../../base/defined.ts';

/** A piece of an answer. */
export interface Delta {
  readonly kind: 'text' | 'reasoning' | 'tool_call';
  readonly text: string;
}

const NO_USAGE: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

interface Growing {
  readonly type: 'text' | 'reasoning';
  text: string;
  providerMetadata?: SharedV4ProviderMetadata;
}

/** Assembles a streamed answer. The result equals the unstreamed answer, however it was split. */
export class StreamedAnswer {
  readonly #content: (LanguageModelV4Content | Growing)[] = [];
  readonly #open = new Map<string, Growing>();
  #end: Extract<LanguageModelV4StreamPart, { type: 'finish' }> | undefined;
  #responseId: string | undefined;

  /** Takes the next part. Returns the piece of text in it, if it has one. Throws what the stream reports as an error. */
  add(part: LanguageModelV4StreamPart): Delta | undefined {
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') return this.#grow('text', part.id, part.delta, part.providerMetadata);
    if (part.type === 'reasoning-delta') return this.#grow('reasoning', part.id, part.delta, part.providerMetadata);
    if (part.type === 'tool-input-delta')
      return part.delta === '' ? undefined : { kind: 'tool_call', text: part.delta };
    if (part.type === 'text-start') this.#start('text', part.id, part.providerMetadata);
    else if (part.type === 'reasoning-start') this.#start('reasoning', part.id, part.providerMetadata);
    else if (part.type === 'text-end') this.#finishPart('text', part.id, part.providerMetadata);
    else if (part.type === 'reasoning-end') this.#finishPart('reasoning', part.id, part.providerMetadata);
    else if (part.type === 'tool-call' || part.type === 'file') this.#content.push(part);
    else if (part.type === 'response-metadata') this.#responseId = part.id ?? this.#responseId;
    else if (part.type === 'finish') this.#end = part;
    return undefined;
  }

  /** Returns the whole answer. Throws {@link LlmError} `UNAVAILABLE` when the stream broke off before its end. */
  finish(model: string): RawAnswer {
    const end = this.#end;
    const reason = end?.finishReason;
    // For a stream that just stops, providers report an end without a reason and without a count.
    const isCut = reason?.raw === undefined && end?.usage?.outputTokens.total === undefined;
    if (end === undefined || reason === undefined || isCut) {
      throw new LlmError('UNAVAILABLE', `${model}: the stream broke off before the end of the answer; run again`);
    }
    const content = this.#content.map((part) => ({ ...part })) as LanguageModelV4Content[];
    return { content, finishReason: reason, usage: end.usage ?? NO_USAGE, responseId: this.#responseId };
  }

  #start(type: Growing['type'], id: string, metadata: SharedV4ProviderMetadata | undefined): Growing {
    const growing: Growing = { type, text: '', ...defined({ providerMetadata: metadata }) };
    this.#content.push(growing);
    this.#open.set(`${type} ${id}`, growing);
    return growing;
  }

  #finishPart(type: Growing['type'], id: string, metadata: SharedV4ProviderMetadata | undefined): void {
    if (this.#open.has(`${type} ${id}`)) this.#grow(type, id, '', metadata);
    this.#open.delete(`${type} ${id}`);
  }

  #grow(
    type: Growing['type'],
    id: string,
    text: string,
    metadata: SharedV4ProviderMetadata | undefined,
  ): Delta | undefined {
    const growing = this.#open.get(`${type} ${id}`) ?? this.#start(type, id, undefined);
    growing.text += text;
    // A signature arrives behind the text that it signs.
    if (metadata !== undefined) growing.providerMetadata = mergeMetadata(growing.providerMetadata, metadata);
    return text === '' ? undefined : { kind: type, text };
  }
}

function mergeMetadata(
  first: SharedV4ProviderMetadata | undefined,
  second: SharedV4ProviderMetadata,
): SharedV4ProviderMetadata {
  const merged = { ...first };
  for (const [provider, values] of Object.entries(second)) merged[provider] = { ...merged[provider], ...values };
  return merged;
}
