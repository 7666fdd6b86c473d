import { drafts, type EventDraft } from '@conv/core/events';
import { classifyError } from '@conv/openhands/messages';

/** Drafts the event of a failure of the whole conversation, classified by its code and its words. */
export function failureDraft(code: string, detail: string): EventDraft {
  return drafts.conversationError(code, detail, classifyError(code, detail));
}
