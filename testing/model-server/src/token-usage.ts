import type { ModelRequest } from './model-request.ts';
import type { ScriptedUsage } from './turn.ts';

/** Token counts with nothing left open. */
export type TokenUsage = Required<ScriptedUsage>;

interface Output {
  readonly text: readonly string[];
  readonly reasoning: readonly string[];
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

type Prompt = Pick<ModelRequest, 'model' | 'messages' | 'tools'>;

/** Four bytes of UTF-8 are one token, rounded up; tokens of a prompt are counted per message. */
function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** Counts what the script left open. */
export function countUsage(
  request: Prompt,
  { text, reasoning, calls }: Output,
  cachedTokens: number,
  scripted: ScriptedUsage = {},
): TokenUsage {
  const reasoningTokens = scripted.reasoningTokens ?? tokensIn(reasoning.join(''));
  const called = calls.map((made) => tokensIn(made.name) + tokensIn(made.arguments));
  const answerTokens = called.reduce((sum, tokens) => sum + tokens, tokensIn(text.join('')));
  const promptTokens = scripted.promptTokens ?? promptPieces(request).reduce((sum, piece) => sum + tokensIn(piece), 0);
  return {
    promptTokens,
    completionTokens: scripted.completionTokens ?? answerTokens + reasoningTokens,
    cachedTokens: scripted.cachedTokens ?? Math.min(cachedTokens, promptTokens),
    reasoningTokens,
  };
}

/**
 * A prompt cache that holds the last prompt of each model: what a request shares with it from the start (tools, then
 * whole messages) counts as cached, as with a provider's prefix cache.
 */
export class PromptCache {
  readonly #last = new Map<string, readonly string[]>();

  /** The number of tokens found in the cache; the request takes the place of the one before. */
  lookUp(request: Prompt): number {
    const pieces = promptPieces(request);
    const previous = this.#last.get(request.model) ?? [];
    this.#last.set(request.model, pieces);
    const different = pieces.findIndex((piece, index) => piece !== previous[index]);
    return pieces
      .slice(0, different === -1 ? pieces.length : different)
      .reduce((sum, piece) => sum + tokensIn(piece), 0);
  }
}

/** `text` is left out: it repeats what is in `content`. */
function promptPieces({ tools, messages }: Prompt): string[] {
  const offered = tools.length === 0 ? [] : [JSON.stringify(tools)];
  return [...offered, ...messages.map((message) => JSON.stringify({ ...message, text: undefined }))];
}
