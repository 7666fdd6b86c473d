import type { CloseOptions } from '../options/close-options.ts';
import type { LazySession } from '../run/lazy-session.ts';
import type { Safeguards } from '../safeguards/safeguards.ts';
import type { LocalConversationParts } from './local-conversation-parts.ts';

type Parts = Pick<LocalConversationParts<unknown>, 'state' | 'visualizer' | 'subscriberGrace' | 'store' | 'ownsStore'>;

/**
 * Gives up a conversation whose work has ended: its session of hooks, then its tools, its ownership and its own store. The ownership is given up
 * even if hooks, tools or the visualizer fail; then it rejects with their first error. `beforeLeaving` is called between tools and ownership, which
 * end at the same time without it.
 */
export async function giveUp(
  parts: Parts,
  hooks: Pick<Safeguards['hooks'], 'endSession'>,
  session: Pick<LazySession, 'close'>,
  beforeLeaving?: CloseOptions['beforeLeaving'],
): Promise<void> {
  const [ended] = await Promise.allSettled([hooks.endSession()]);
  const closed = session.close();
  // Invariant: with it, what the tools act in has ended before another process may own the conversation, and act there.
  const before = beforeLeaving && Promise.allSettled([closed]).then(beforeLeaving);
  const left = before ? Promise.allSettled([before]).then(() => leave(parts)) : leave(parts);
  const ends = [ended, ...(await Promise.allSettled([closed, before, left]))];
  if (parts.ownsStore) await parts.store.close();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

async function leave({ state, visualizer, subscriberGrace }: Parts): Promise<void> {
  await state.delivered(subscriberGrace);
  await state.close();
  await visualizer?.close?.();
}
