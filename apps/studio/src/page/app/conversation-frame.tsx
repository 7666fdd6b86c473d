import type { RemoteConversation } from '@conv/remote';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { ActDialogs, type ActDialogName } from '../act/act-dialogs.tsx';
import { ActingContext, useActions } from '../act/actions.ts';
import { Approvals } from '../act/approvals.tsx';
import { ClientAnswers } from '../act/client-answers.tsx';
import { ConversationHeader } from '../act/conversation-header.tsx';
import { Talk } from '../act/talk.tsx';
import { ConversationView } from '../conversation/conversation-view.tsx';
import { nameOf } from '../data/row.ts';
import { Button } from '../design/button.tsx';
import { lazyView } from '../design/lazy-view.ts';
import { Notice } from '../design/notice.tsx';
import { useShortcut } from './shortcuts.ts';
import { useServer } from './studio.ts';
import { useRelatives } from './use-relatives.ts';
import { useOpenOthers } from './use-open-others.ts';

const UnderstandView = lazyView(async () => (await import('../understand/understand-view.tsx')).UnderstandView);

/** Properties of {@link ConversationFrame}. */
export interface ConversationFrameProps {
  readonly conversation: RemoteConversation;
  /** Changes with the state of the conversation, which is then read again. */
  readonly version: number;
  /** The name of the other process that wrote the conversation when it was opened; `null` for none, or if it is not known. */
  readonly owner: string | null;
  /** The view of the conversation that the frame holds. */
  readonly view: 'timeline' | 'understand';
}

/** The frame of one conversation: what it is above, its timeline, and below it what a person can do. */
export function ConversationFrame({ conversation, version, owner, view }: ConversationFrameProps): ReactElement {
  const [owned, setOwned] = useState(
    owner === null ? undefined : `The conversation is in use by ${owner}. It can be read here.`,
  );
  const [dialog, setDialog] = useState<ActDialogName>();
  const server = useServer();
  const actions = useActions(setOwned);
  const readOnly = server.readOnly ?? (owned === undefined ? null : owned);
  const [, navigate] = useLocation();
  const open = useOpenOthers();
  const relatives = useRelatives(conversation.id);
  const acting = useMemo(
    () => ({ conversation, actions, readOnly, version }),
    [conversation, actions, readOnly, version],
  );
  const name = nameOf({ id: conversation.id, title: conversation.state.title });
  useEffect(() => {
    document.title = `${name} · Studio`;
  }, [name]);
  useShortcut('Escape', 'Back to the list', () => navigate('/'));
  return (
    <ActingContext value={acting}>
      <div className="conversation">
        <ConversationHeader onDialog={setDialog} />
        <div className="conversation-notices">
          {owned !== undefined && server.readOnly === null && (
            <Notice
              tone="careful"
              icon="lock"
              actions={
                <Button size="small" onClick={() => setOwned(undefined)}>
                  Try to act again
                </Button>
              }
            >
              <strong>Read-only here.</strong> {owned}
            </Notice>
          )}
          {conversation.state.damaged && <DamageNotice />}
          {actions.failure !== undefined && dialog === undefined && (
            <Notice
              tone="bad"
              actions={
                <Button size="small" look="plain" onClick={actions.clear}>
                  Dismiss
                </Button>
              }
            >
              {actions.failure}
            </Notice>
          )}
        </div>
        <section className="conversation-main" aria-label="Conversation">
          <h2 className="hidden">{view === 'understand' ? 'Time, cost and course' : 'Timeline'}</h2>
          {view === 'understand' ? (
            <UnderstandView conversation={conversation} go={navigate} relatives={relatives} />
          ) : (
            <ConversationView conversation={conversation} open={open} go={navigate} readOnly={readOnly} />
          )}
        </section>
        <footer className="conversation-foot">
          <Approvals />
          <ClientAnswers />
          <Talk />
        </footer>
      </div>
      <ActDialogs open={dialog} onClose={() => setDialog(undefined)} />
    </ActingContext>
  );
}

function DamageNotice(): ReactElement {
  return (
    <Notice tone="careful">
      <strong>Part of this log was lost to damage.</strong> Settings may be older than they were: check the policy and
      the limits.
    </Notice>
  );
}
