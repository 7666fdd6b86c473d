import { isConversationError } from '@conv/core';
import { contentParts, isEvent, isText, type Event } from '@conv/core/events';
import type { LocalConversation } from '@conv/local';

import type { MakeTitle } from './host-options.ts';

const LONGEST = 50;

export interface AutoTitleDeps {
  readonly conversation: LocalConversation;
  readonly makeTitle: MakeTitle | undefined;
  /** True if the agent's model may be asked for a title now, as far as its sender is concerned. */
  readonly mayAsk: () => boolean;
  /** Aborted when the conversation is unloaded or lost. */
  readonly ended: AbortSignal;
  readonly report: (error: unknown, doing: string) => void;
}

/**
 * Gives an untitled conversation a title for its user's first message, as OpenHands' server does: by the model of the profile that the creator named,
 * else by that of the agent if it may be asked. If the model fails or the agent has none, if hooks decide which messages a model sees, or if `max_budget` is used up,
 * the title is the beginning of the message. A title that a client sets meanwhile stays. Listens to the conversation until then.
 */
export function autoTitle({ conversation, makeTitle, mayAsk, ended, report }: AutoTitleDeps): void {
  const give = async (text: string, isShown: boolean): Promise<void> => {
    const { title_llm_profile: profile, prompt } = conversation.state.extra.meta;
    const beginning = shortened(text);
    const asked = typeof prompt === 'string' && prompt.trim() !== '' ? { prompt } : {};
    if (!isShown || isSpent(conversation)) return setIfNone(conversation, beginning);
    if (makeTitle && typeof profile === 'string') {
      const options = { conversationId: conversation.id, profile, ...asked, signal: ended };
      const title = await makeTitle(text, options).catch((error: unknown) => {
        if (ended.aborted) throw error;
        report(error, 'making a title');
        return beginning;
      });
      if (title !== undefined) return setIfNone(conversation, shortened(title) || beginning);
    }
    if (!mayAsk()) return setIfNone(conversation, beginning);
    await conversation.settings.generateTitle({ maxLength: LONGEST, ...asked });
  };
  const subscription = conversation.subscribe((event) => {
    const text = textOfUser(event);
    if (text === '' || conversation.state.title !== null) return;
    if (conversation.state.extra.meta['autotitle'] === false) return;
    subscription.unsubscribe();
    give(text, isShown(conversation, event)).catch((error: unknown) => {
      // the next owner gives a title to the next message
      if (!ended.aborted && !isConversationError(error, 'CLOSED')) report(error, 'giving a title');
    });
  });
}

/** False for a message that hooks have blocked or are still to check, which no model may see. */
function isShown({ state }: LocalConversation, { id }: Event): boolean {
  const { uncheckedMessages, blockedMessages } = state.fields;
  return !uncheckedMessages.includes(id) && !Object.hasOwn(blockedMessages, id);
}

/** True if the limit of all runs together is used up, which a title would exceed. */
function isSpent({ state }: LocalConversation): boolean {
  const { maxBudget, stats } = state.fields;
  return maxBudget !== null && Object.values(stats).reduce((sum, { cost }) => sum + cost, 0) >= maxBudget;
}

function setIfNone(conversation: LocalConversation, title: string): Promise<void> {
  return conversation.state.transaction((transaction) => {
    if (transaction.state.title === null) transaction.update({ set: { title } });
  });
}

/** Returns the beginning of a text, in one line of at most 50 characters. */
function shortened(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  if (line.length <= LONGEST) return line;
  // drops half of a surrogate pair
  const beginning = line.slice(0, LONGEST - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${beginning.trimEnd()}…`;
}

function textOfUser(event: Event): string {
  if (!isEvent(event, 'MessageEvent') || event.source !== 'user') return '';
  return contentParts(event.llm_message)
    .filter(isText)
    .map((part) => part.text)
    .join('\n')
    .trim();
}
