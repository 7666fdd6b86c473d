import type { LlmMessage } from '@conv/openhands/messages';
import { isLlmError } from '../llm-error.ts';
import type { Model } from '../model.ts';
import { reasoningItemsOf } from '../prompt/reasoning-items.ts';

const SAYS_REFUSED =
  /invalid[_ ]encrypted[_ ]content|encrypted[_ ]content.{0,80}(?:verif|decrypt|pars)|(?:thinking|reasoning).{0,120}(?:signature|verif|decrypt|without its required|cannot be modified)|signature.{0,80}(?:thinking|reasoning|thought)|thought[_ ]signature.{0,80}(?:invalid|not valid|corrupt)/i;

/** The ends of the signatures of thinking that a model could not read: that of other models, keys and accounts. */
const refusedBy = new WeakMap<Model, Set<string>>();

/**
 * True if a provider refused a request because of the thinking in it, for example thinking of another account's model.
 */
export function isThinkingRefused(error: unknown): boolean {
  const couldBe = isLlmError(error, 'BAD_REQUEST') || isLlmError(error, 'MALFORMED_HISTORY');
  return couldBe && SAYS_REFUSED.test(error.message);
}

/**
 * Remembers that this model cannot read the thinking in these messages. Returns false if all of it was known before.
 */
export function rememberRefused(model: Model, messages: readonly LlmMessage[]): boolean {
  const known = refusedBy.get(model) ?? new Set();
  const before = known.size;
  for (const message of messages) for (const mark of marksOf(message)) known.add(mark);
  refusedBy.set(model, known);
  return known.size > before;
}

/** True if a message holds thinking that this model could not read before. */
export function wasRefused(model: Model, message: LlmMessage): boolean {
  const known = refusedBy.get(model);
  return known !== undefined && marksOf(message).some((mark) => known.has(mark));
}

function marksOf(message: LlmMessage): readonly string[] {
  const seals = message.thinking_blocks.map((block) => ('data' in block ? block.data : (block.signature ?? '')));
  const encrypted = reasoningItemsOf(message).map((item) => item.encrypted_content ?? '');
  return [...seals, ...encrypted].filter((seal) => seal !== '').map((seal) => seal.slice(-64));
}
