import { ConversationError, type ConversationView } from '@conv/core';

/** Throws `BUSY` if something came after the message that a run is to answer: another run may have answered it, or failed at it. */
export function checkNewest(
  { id, leafEventId }: { readonly id: string } & Pick<ConversationView, 'leafEventId'>,
  message: string,
): void {
  if (message === leafEventId) return;
  throw new ConversationError(
    'BUSY',
    `expected the message ${message} as the newest event of conversation ${id}, but something came after the message: ` +
      `found ${leafEventId ?? 'no event'}; read the events behind it, and run again if they are no answer`,
  );
}
