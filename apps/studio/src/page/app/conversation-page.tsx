import { type ReactElement, useEffect, useState, useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import '@conv/visualize/react/style.css';
import '../act/act.css';
import { explain, statusIn } from '../data/explain.ts';
import { OpenConversation } from '../data/open-conversation.ts';
import { Button } from '../design/button.tsx';
import { Empty } from '../design/empty.tsx';
import { Spinner } from '../design/spinner.tsx';
import { ConversationFrame } from './conversation-frame.tsx';
import { useServer, useStudio } from './studio.ts';

/** The view of a conversation: opened with the view, closed with it. */
export function ConversationPage({
  id,
  view = 'timeline',
}: {
  readonly id: string;
  readonly view?: 'timeline' | 'understand';
}): ReactElement {
  const studio = useStudio();
  const { tellsOwners } = useServer();
  const [opened] = useState(() => new OpenConversation(studio, id, tellsOwners));
  useEffect(() => opened.start(), [opened]);
  const state = useSyncExternalStore(opened.subscribe, opened.state);
  if (state.kind === 'open')
    return (
      <ConversationFrame conversation={state.conversation} version={state.version} owner={state.owner} view={view} />
    );
  if (state.kind === 'opening')
    return (
      <div className="center">
        <Spinner label="Opening the conversation…" />
      </div>
    );
  return <NotOpened id={id} error={state.error} onAgain={() => opened.again()} />;
}

interface NotOpenedProps {
  readonly id: string;
  readonly error: unknown;
  readonly onAgain: () => void;
}

function NotOpened({ id, error, onAgain }: NotOpenedProps): ReactElement {
  const isMissing = statusIn(error) === 404;
  return (
    <Empty
      title={isMissing ? 'There is no such conversation' : 'The conversation could not be opened'}
      actions={
        <>
          <Link href="/" className="button">
            All conversations
          </Link>
          {!isMissing && (
            <Button look="main" onClick={onAgain}>
              Try again
            </Button>
          )}
        </>
      }
    >
      {isMissing ? `${id} is not in this place. It may have been deleted, or be stored elsewhere.` : explain(error)}
    </Empty>
  );
}
