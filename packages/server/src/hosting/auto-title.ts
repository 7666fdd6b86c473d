import { contentParts, isEvent, isText, type Event } from '@conv/core/events';
import type { LocalConversation } from '@conv/local';

import type { MakeTitle } from './host-options.ts';

const LONGEST = 50;

export interface AutoTitleDeps {
  readonly conversation: LocalConversation;
  readonly makeTitle: MakeTitle | undefined;
  readonly report: (error: unknown, doing: string) => void;
}

/**
 * Gives an untitled conversation a title made of its user's first message. The model of the profile that the creator named writes
 * it; without one it is the beginning of the message. A title that a client sets meanwhile stays. Listens to the conversation until then.
 */
export function autoTitle({ conversation, makeTitle, report }: AutoTitleDeps): void {
  const closed = new AbortController();
  const give = async (text: string): Promise<void> => {
    const { meta } = conversation.state.extra;
    const profile = meta['title_llm_profile'];
    const beginning = shortened(text);
    if (!makeTitle || typeof profile !== 'string') return setIfNone(conversation, beginning);
    const { signal } = closed;
    const { prompt } = meta;
    const asked = typeof prompt === 'string' && prompt.trim() !== '' ? { prompt } : {};
    const title = await makeTitle(text, { conversationId: conversation.id, profile, ...asked, signal }).catch(
      (error: unknown) => {
        report(error, 'making a title');
        return beginning;
      },
    );
    await setIfNone(conversation, shortened(title) || beginning);
  };
  const subscription = conversation.subscribe((event) => {
    const text = textOfUser(event);
    if (text === '' || conversation.state.title !== null) return;
    if (conversation.state.extra.meta['autotitle'] === false) return;
    subscription.unsubscribe();
    give(text).catch((error: unknown) => report(error, 'giving a title'));
  });
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
