import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useShortcut } from '../app/shortcuts.ts';
import { modelOf, nameOf, shownTags } from '../data/row.ts';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { Cost } from '../design/cost.tsx';
import { Icon } from '../design/icon.tsx';
import { Menu } from '../design/menu.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import type { ActDialogName } from './act-dialogs.tsx';
import { useActing } from './actions.ts';
import { useClientCalls } from './client-answers.tsx';
import { policyWords } from './policy-choice.tsx';

/** Properties of {@link ConversationHeader}. */
export interface ConversationHeaderProps {
  readonly onDialog: (name: ActDialogName) => void;
}

/** Title, status, cost and model of a conversation, and the actions on it. */
export function ConversationHeader({ onDialog }: ConversationHeaderProps): ReactElement {
  const { conversation, readOnly } = useActing();
  const { id, state } = conversation;
  const asks = useClientCalls().length > 0;
  const { title, executionStatus: status, tags, agent, metrics, forkedFrom, parentId } = state;
  const entry = (label: string, icon: 'edit' | 'fork' | 'shield' | 'tag' | 'more', name: ActDialogName) => ({
    label,
    icon,
    unavailable: readOnly,
    onSelect: () => onDialog(name),
  });
  return (
    <header className="conversation-head">
      <Link
        href="/"
        className="button"
        data-look="plain"
        data-icon-only
        aria-label="All conversations"
        title="All conversations"
      >
        <Icon name="back" />
      </Link>
      <div className="conversation-titles">
        <h1 className="cut" dir="auto" title={title ?? undefined}>
          {nameOf({ id, title })}
        </h1>
        <div className="conversation-facts row small quiet">
          <StatusBadge status={status === 'running' && asks ? 'waiting_for_answer' : status} />
          <span className="cut" title="Model">
            {modelOf({ agent: agent as never })}
          </span>
          <Cost of={metrics.totalCost} />
          <span className="fact-policy">{policyWords(state.confirmationPolicy.kind)}</span>
          {forkedFrom && (
            <Link href={`/c/${forkedFrom.conversationId}`}>forked from {forkedFrom.conversationId.slice(0, 8)}</Link>
          )}
          {parentId !== null && <Link href={`/c/${parentId}`}>sub-agent of {parentId.slice(0, 8)}</Link>}
          {shownTags(tags, title).map(([name, value]) => (
            <Badge key={name}>{value === '' ? name : `${name}: ${value}`}</Badge>
          ))}
        </div>
      </div>
      <RunButtons />
      <Menu
        trigger={
          <Button icon="more" iconOnly>
            Actions on this conversation
          </Button>
        }
        entries={[
          entry('Title and tags', 'tag', 'labels'),
          entry('Fork', 'fork', 'fork'),
          { label: 'Compare', icon: 'search', onSelect: () => onDialog('compare') },
          { ...entry('Switch the model', 'edit', 'model'), line: true },
          entry('Approval policy', 'shield', 'policy'),
          entry('Limits', 'more', 'limits'),
          {
            label: 'Delete',
            icon: 'trash',
            tone: 'bad',
            line: true,
            unavailable: readOnly,
            onSelect: () => onDialog('delete'),
          },
        ]}
      />
    </header>
  );
}

/** Statuses from which the agent can be run; while calls wait, approvals run it. */
const CAN_RUN: ReadonlySet<string> = new Set(['idle', 'paused', 'error', 'stuck', 'finished']);

function RunButtons(): ReactElement {
  const { conversation, actions, readOnly } = useActing();
  const status = conversation.state.executionStatus;
  const run = (): void => void actions.run('run', () => conversation.run({ blocking: false, approves: false }));
  const pause = (): void => void actions.run('pause', () => conversation.pause());
  const interrupt = (): void => void actions.run('interrupt', () => conversation.interrupt());
  const canRun = readOnly === null && CAN_RUN.has(status);
  const isRunning = readOnly === null && status === 'running';
  useShortcut('r', 'Run the agent', () => canRun && run());
  useShortcut('p', 'Pause after the current step', () => isRunning && pause());
  useShortcut('i', 'Interrupt at once', () => isRunning && interrupt());
  if (status === 'running')
    return (
      <span className="row">
        <Button
          icon="pause"
          busy={actions.busy === 'pause'}
          unavailable={readOnly}
          title="Stop after the current step"
          onClick={pause}
        >
          <span className="bar-wide">Pause</span>
        </Button>
        <Button
          icon="stop"
          busy={actions.busy === 'interrupt'}
          unavailable={readOnly}
          title="Stop at once"
          onClick={interrupt}
        >
          <span className="bar-wide">Interrupt</span>
        </Button>
      </span>
    );
  if (!CAN_RUN.has(status)) return <span />;
  return (
    <Button icon="play" busy={actions.busy === 'run'} unavailable={readOnly} title="Run the agent" onClick={run}>
      <span className="bar-wide">Run</span>
    </Button>
  );
}
