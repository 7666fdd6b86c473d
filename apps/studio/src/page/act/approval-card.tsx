import type { JsonObject, PendingAction } from '@conv/core';
import { BlockView } from '@conv/visualize/react';
import { argumentsIn, ownArguments, timeline } from '@conv/visualize/timeline';
import { type ReactElement, useMemo, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';

/** Properties of {@link ApprovalCard}. */
export interface ApprovalCardProps {
  readonly action: PendingAction;
  /** The reason why it cannot be decided here; `null` if it can. */
  readonly unavailable: string | null;
  readonly busy: boolean;
  /** True if the server takes other arguments. */
  readonly canEdit: boolean;
  /** Called with the changed arguments, if a person changed them. */
  readonly onApprove: (edit: JsonObject | undefined) => void;
  readonly onReject: (reason: string) => void;
}

/** A call that waits: its tool, all its arguments, the reasons that held it, and the decision. */
export function ApprovalCard({
  action,
  unavailable,
  busy,
  canEdit,
  onApprove,
  onReject,
}: ApprovalCardProps): ReactElement {
  const [reason, setReason] = useState<string>();
  const [edit, setEdit] = useState<string>();
  const edited = edit === undefined ? undefined : argumentsIn(edit);
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
      {edit !== undefined && (
        <Field
          label="Arguments to run it with"
          hint="The call is rejected, and one with these arguments runs in its place."
          wrong={edited === undefined ? 'Expected a JSON object such as { "name": "value" }' : undefined}
        >
          {(input) => (
            <textarea
              {...input}
              className="input approval-edit"
              rows={Math.min(16, edit.split('\n').length + 1)}
              spellCheck={false}
              autoFocus
              value={edit}
              onChange={(event) => setEdit(event.target.value)}
            />
          )}
        </Field>
      )}
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
        {canEdit && reason === undefined && (
          <Button
            look="plain"
            unavailable={unavailable}
            onClick={() =>
              setEdit(edit === undefined ? JSON.stringify(ownArguments(action) ?? {}, null, 2) : undefined)
            }
          >
            {edit === undefined ? 'Edit…' : 'Leave it as it is'}
          </Button>
        )}
        {reason === undefined && (
          <Button look="plain" unavailable={unavailable} onClick={() => setReason('')}>
            Add a reason…
          </Button>
        )}
        <Button busy={busy} unavailable={unavailable} onClick={() => onReject(reason ?? '')}>
          Reject
        </Button>
        <Button
          look="main"
          icon="check"
          busy={busy}
          unavailable={edit !== undefined && edited === undefined ? 'The arguments are no JSON object' : unavailable}
          onClick={() => onApprove(edited)}
        >
          {edit === undefined ? 'Approve' : 'Approve edited'}
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
