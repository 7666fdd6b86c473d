import type { LlmMessage } from '@conv/openhands/messages';
import type { Model } from '../model.ts';
import { reasoningItemsOf } from '../prompt/reasoning-items.ts';

/** The ends of the signatures of thinking that a model could not read: that of other models, keys and accounts. */
const refusedBy = new WeakMap<Model, Set<string>>();

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
