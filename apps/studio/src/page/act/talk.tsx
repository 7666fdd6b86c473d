import { type ReactElement, useState, useSyncExternalStore } from 'react';
import { useConnection, useStudio } from '../app/studio.ts';
import { useActing } from './actions.ts';
import { waitingCalls } from './approvals.tsx';
import { Composer } from './composer.tsx';
import type { Draft } from './message-content.ts';
import { Outbox } from './outbox.ts';
import { OutgoingList } from './outgoing-list.tsx';

const NOTHING: Draft = { text: '', attachments: [] };

/** The composer of a conversation, and the messages that are not in its log yet. */
export function Talk(): ReactElement {
  const { api } = useStudio();
  const { conversation, actions, readOnly } = useActing();
  const { lost } = useConnection();
  const [outbox] = useState(() => new Outbox(api));
  const [draft, setDraft] = useState(NOTHING);
  const outgoing = useSyncExternalStore(outbox.subscribe, outbox.all);
  const { state } = conversation;
  const send = (run: boolean): void => {
    setDraft(NOTHING);
    void actions.run('send', () => outbox.send(conversation, draft, run));
  };
  const hint = (): string => {
    if (readOnly !== null) return 'Read-only: the log can be read, but not changed.';
    if (lost) return 'No connection: a message is sent when the server is back.';
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
        onDiscard={(id) => setDraft(outbox.discard(id) ?? NOTHING)}
      />
      <Composer draft={draft} onChange={setDraft} onSend={send} unavailable={readOnly} hint={hint()} />
    </div>
  );
}
