import type { LazySession } from '../run/lazy-session.ts';
import type { Safeguards } from '../safeguards/safeguards.ts';
import type { LocalConversationParts } from './local-conversation-parts.ts';

type Parts = Pick<LocalConversationParts<unknown>, 'state' | 'visualizer' | 'subscriberGrace' | 'store' | 'ownsStore'>;

/**
 * Gives up a conversation whose work has ended: its session of hooks, then its tools, its ownership and its own store. The ownership is given up
 * even if hooks, tools or the visualizer fail; then it rejects with their first error.
 */
export async function giveUp(
  parts: Parts,
  hooks: Pick<Safeguards['hooks'], 'endSession'>,
  session: Pick<LazySession, 'close'>,
): Promise<void> {
  const [ended] = await Promise.allSettled([hooks.endSession()]);
  const ends = [ended, ...(await Promise.allSettled([session.close(), leave(parts)]))];
  if (parts.ownsStore) await parts.store.close();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

async function leave({ state, visualizer, subscriberGrace }: Parts): Promise<void> {
  await state.delivered(subscriberGrace);
  await state.close();
  await visualizer?.close?.();
}
