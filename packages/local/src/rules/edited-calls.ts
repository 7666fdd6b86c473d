import type { Transaction } from '@conv/core';
import { drafts, type ActionEvent, type EventDraftOfKind, isEvent } from '@conv/core/events';

/** A call that a person edited, as it was and as it will run. */
export interface EditedCall {
  readonly original: ActionEvent;
  readonly draft: EventDraftOfKind<'ActionEvent'>;
}

/** Begins the result of a call that a person edited; the id of the call that runs instead follows. */
const EDITED = 'The user changed the arguments of this call, which runs as the call';

/**
 * Appends the edited calls, each with the rejection of its original. Resolves with the new actions. They come before the rejections, so
 * that the calls of a response stay next to each other: providers get them, and OpenHands reads them, as one message.
 */
export async function appendEdited(
  transaction: Transaction,
  edited: readonly EditedCall[],
): Promise<readonly ActionEvent[]> {
  const appended = await transaction.append(...edited.map(({ draft }) => draft));
  const rejections = edited.map(({ original, draft }) =>
    drafts.userReject(original, `${EDITED} ${draft.tool_call_id}.`),
  );
  await transaction.append(...rejections);
  return appended.filter((event) => isEvent(event, 'ActionEvent'));
}
