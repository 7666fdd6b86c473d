import { type ReactElement, useEffect, useState, useSyncExternalStore } from 'react';
import { useConnection, useServer, useStudio } from '../app/studio.ts';
import { useActing } from './actions.ts';
import { waitingCalls } from './approvals.tsx';
import { Composer } from './composer.tsx';
import type { Draft } from './message-content.ts';
import { outboxOf } from './outbox.ts';
import { OutgoingList } from './outgoing-list.tsx';

const NOTHING: Draft = { text: '', attachments: [] };

/** The composer of a conversation, and the messages that are not in its log yet. */
export function Talk(): ReactElement {
  const { api } = useStudio();
  const { conversation, actions, readOnly } = useActing();
  const { lost, returns } = useConnection();
  // a server that does not know the ids of messages could take one twice
  const sendsAgain = useServer().capabilities.has('idempotency_v1');
  const [outbox] = useState(() => outboxOf(api, conversation.id, sendsAgain));
  const [draft, setDraft] = useState(NOTHING);
  const outgoing = useSyncExternalStore(outbox.subscribe, outbox.all);
  const { state } = conversation;
  const send = (run: boolean): void => {
    setDraft(NOTHING);
    void actions.run('send', () => outbox.send(conversation, draft, run));
  };
  useEffect(() => {
    if (outbox.all().some(({ waits }) => waits)) void actions.run('send', () => outbox.whenBack(conversation));
    // once for each return, and when the view opens again, whatever else changed
  }, [returns]);
  const edit = (id: string): void => {
    const { text, attachments } = outbox.discard(id) ?? NOTHING;
    const texts = [text, draft.text].filter((each) => each.trim() !== '');
    setDraft({ text: texts.join('\n\n'), attachments: [...attachments, ...draft.attachments] });
  };
  const hint = (): string => {
    if (readOnly !== null) return 'Read-only: the log can be read, but not changed.';
    if (lost)
      return sendsAgain ? 'No connection: a message is sent when the server is back.' : 'No connection to the server.';
    if (waitingCalls(state).undecided.length > 0) return 'A message rejects the calls that wait.';
    return state.executionStatus === 'running'
      ? 'The agent reads it before it ends.'
      : 'Enter sends, Shift+Enter is a new line.';
  };
  return (
    <div className="talk">
      <OutgoingList
        outgoing={outgoing}
        queue={state.queue}
        onAgain={(id) => void actions.run('send', () => outbox.again(conversation, id))}
        onDiscard={edit}
      />
      <Composer draft={draft} onChange={setDraft} onSend={send} unavailable={readOnly} hint={hint()} />
    </div>
  );
}
