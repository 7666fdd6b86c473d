import { visibleText } from '@conv/visualize/text';
import type { ReactElement } from 'react';
import type { StateChange } from './state-diff.ts';

/** Characters of a value that are shown. */
const LONGEST = 400;

/** Changes that are shown. */
const MOST = 200;

/** Shows changes of a state. `nothing` is said when there are none. */
export function StateChanges({
  changes,
  nothing,
}: {
  readonly changes: readonly StateChange[];
  readonly nothing: string;
}): ReactElement {
  if (changes.length === 0) return <p className="quiet">{nothing}</p>;
  return (
    <>
      <dl className="tm-changes">
        {changes.slice(0, MOST).map((change) => (
          <Change key={change.path} change={change} />
        ))}
      </dl>
      {changes.length > MOST && <p className="quiet">and {changes.length - MOST} more</p>}
    </>
  );
}

function Change({ change }: { readonly change: StateChange }): ReactElement {
  return (
    <div data-kind={change.kind}>
      <dt>
        <code>{visibleText(change.path)}</code> <span className="quiet">{change.kind}</span>
      </dt>
      {change.kind !== 'added' && <dd className="conv-removed">− {shown(change.before)}</dd>}
      {change.kind !== 'removed' && <dd className="conv-added">+ {shown(change.after)}</dd>}
    </div>
  );
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return visibleText(text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()} …` : text);
}
