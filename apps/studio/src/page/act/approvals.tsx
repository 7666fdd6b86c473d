import type { ApproveOptions, PendingAction, StateFields } from '@conv/core';
import type { RemoteConversation } from '@conv/remote';
import type { ReactElement } from 'react';
import { useShortcut } from '../app/shortcuts.ts';
import { Button } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { useActing } from './actions.ts';
import { ApprovalCard } from './approval-card.tsx';

/** The calls of a conversation that wait for a person, and how each was decided. */
export interface Waiting {
  readonly undecided: readonly PendingAction[];
  /** Approved, and started by the next run. */
  readonly approved: readonly PendingAction[];
}

/** Returns the calls that wait for a person; none while the conversation does not wait. */
export function waitingCalls(
  state: Pick<StateFields, 'executionStatus' | 'calls'> & { readonly pendingActions: readonly PendingAction[] },
): Waiting {
  if (state.executionStatus !== 'waiting_for_confirmation') return { undecided: [], approved: [] };
  const by = (wanted: string | undefined): readonly PendingAction[] =>
    state.pendingActions.filter(({ id }) => state.calls[id] === wanted);
  return { undecided: by(undefined), approved: by('approved') };
}

/**
 * Runs the calls that were decided. Approvals are recorded by name, so the run approves nothing more, except on a server whose only way to
 * approve is a run.
 */
async function runDecided(conversation: RemoteConversation): Promise<void> {
  await conversation.run({ blocking: false, approves: conversation.features.wholeDecisions === true });
}

/** Approves calls, with other arguments where a person edited them, and runs them once none is undecided. */
async function approve(
  conversation: RemoteConversation,
  ids: readonly string[],
  edits: ApproveOptions['edits'],
): Promise<void> {
  await conversation.approve(ids, edits ? { edits } : {});
  const others = waitingCalls(conversation.state).undecided.filter(({ id }) => !ids.includes(id));
  if (others.length === 0) await runDecided(conversation);
}

/** Rejects calls; calls that were approved before run then, unless others wait on. */
async function reject(conversation: RemoteConversation, ids: readonly string[], reason: string): Promise<void> {
  await conversation.reject(ids, reason.trim() === '' ? undefined : reason.trim());
  const { undecided, approved } = waitingCalls(conversation.state);
  if (undecided.length === 0 && approved.length > 0) await runDecided(conversation);
}

/** The calls that wait for a person: each whole, with its reasons, and buttons that decide. */
export function Approvals(): ReactElement | null {
  const { conversation, actions, readOnly } = useActing();
  const { undecided, approved } = waitingCalls(conversation.state);
  const isSingle = conversation.features.wholeDecisions !== true || undecided.length === 1;
  const all = undecided.map(({ id }) => id);
  const onApprove = (ids: readonly string[], edits?: ApproveOptions['edits']): void =>
    void actions.run('approve', () => approve(conversation, ids, edits));
  const onReject = (ids: readonly string[], reason: string): void =>
    void actions.run('reject', () => reject(conversation, ids, reason));
  const decide = (decision: (id: string) => void): void => {
    const id = callInFocus(all);
    if (readOnly === null && actions.busy === undefined && id !== undefined) decision(id);
  };
  useShortcut('a', 'Approve the call', () => decide((id) => onApprove([id])));
  useShortcut('x', 'Reject the call', () => decide((id) => onReject([id], '')));
  if (undecided.length === 0 && approved.length === 0) return null;
  return (
    <section className="approvals" aria-label="Calls that wait for you">
      <div className="row" data-wrap>
        <h2 className="row grow">
          <Icon name="shield" />
          {words(undecided.length)}
        </h2>
        {approved.length > 0 && (
          <>
            <span className="quiet small">{approved.length} approved, not started</span>
            <Button
              size="small"
              unavailable={readOnly}
              onClick={() => void actions.run('run', () => runDecided(conversation))}
            >
              Run the approved now
            </Button>
          </>
        )}
        {undecided.length > 1 && (
          <>
            <Button size="small" unavailable={readOnly} onClick={() => onReject(all, '')}>
              Reject all
            </Button>
            <Button size="small" look="main" unavailable={readOnly} onClick={() => onApprove(all)}>
              Approve all
            </Button>
          </>
        )}
      </div>
      {!isSingle && <p className="quiet small">This server decides on all calls together.</p>}
      {undecided.map((action) => (
        <ApprovalCard
          key={action.id}
          action={action}
          unavailable={readOnly ?? (isSingle ? null : 'This server decides on all calls together')}
          busy={actions.busy === 'approve' || actions.busy === 'reject'}
          canEdit={conversation.features.edits === true}
          onApprove={(edit) => onApprove([action.id], edit && { [action.id]: edit })}
          onReject={(reason) => onReject([action.id], reason)}
        />
      ))}
    </section>
  );
}

/** Returns the call whose card has the focus at this moment, or the first one. */
function callInFocus(ids: readonly string[]): string | undefined {
  const id = document.activeElement?.closest<HTMLElement>('[data-call]')?.dataset['call'];
  return id !== undefined && ids.includes(id) ? id : ids[0];
}

function words(count: number): string {
  if (count === 0) return 'All calls are decided';
  return count === 1 ? 'A call waits for you' : `${count} calls wait for you`;
}
