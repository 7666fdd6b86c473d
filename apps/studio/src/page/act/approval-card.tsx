import type { PendingAction } from '@conv/core';
import { BlockView } from '@conv/visualize/react';
import { timeline } from '@conv/visualize/timeline';
import { type ReactElement, useMemo, useState } from 'react';
import { Button } from '../design/button.tsx';

/** Properties of {@link ApprovalCard}. */
export interface ApprovalCardProps {
  readonly action: PendingAction;
  /** The reason why it cannot be decided here; `null` if it can. */
  readonly unavailable: string | null;
  readonly busy: boolean;
  readonly onApprove: () => void;
  readonly onReject: (reason: string) => void;
}

/** A call that waits: its tool, all its arguments, the reasons that held it, and the decision. */
export function ApprovalCard({ action, unavailable, busy, onApprove, onReject }: ApprovalCardProps): ReactElement {
  const [reason, setReason] = useState<string>();
  const blocks = useMemo(() => timeline([{ index: 0, event: action }]), [action]);
  return (
    <article className="approval" data-call={action.id} aria-label={`Call of ${action.tool_name}`}>
      {blocks.map((block) => (
        <BlockView key={block.id} block={block} />
      ))}
      {action.reasons.length > 0 && (
        <div className="approval-reasons">
          <span className="small">Held because</span>
          <ul className="bullets">
            {action.reasons.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </div>
      )}
      <details className="small">
        <summary>The call as the model made it</summary>
        <pre className="approval-json">{pretty(action.tool_call.arguments)}</pre>
      </details>
      {reason !== undefined && (
        <textarea
          className="input"
          aria-label="Reason for the agent"
          placeholder="Tell the agent why, and what to do instead"
          rows={2}
          autoFocus
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      <div className="row approval-decision" data-end data-wrap>
        {reason === undefined && (
          <Button look="plain" unavailable={unavailable} onClick={() => setReason('')}>
            Add a reason…
          </Button>
        )}
        <Button busy={busy} unavailable={unavailable} onClick={() => onReject(reason ?? '')}>
          Reject
        </Button>
        <Button look="main" icon="check" busy={busy} unavailable={unavailable} onClick={onApprove}>
          Approve
        </Button>
      </div>
    </article>
  );
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
