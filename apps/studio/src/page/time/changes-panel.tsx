import type { Conversation } from '@conv/core';
import { type ReactElement, useState } from 'react';
import { useLoaded } from '../conversation/use-loaded.ts';
import { plainState } from './plain-state.ts';
import { StateChanges } from './state-changes.tsx';
import { stateDiff } from './state-diff.ts';

/** Shows what changed in the state between another point and this one. */
export function ChangesPanel({
  conversation,
  event,
  total,
}: {
  readonly conversation: Conversation;
  readonly event: number;
  readonly total: number;
}): ReactElement {
  const [chosen, setChosen] = useState<number>();
  const other = Math.min(chosen ?? Math.max(0, event - 1), Math.max(0, total - 1));
  const { value, failure, loading } = useLoaded(
    `${other} ${event}`,
    async () => {
      const [one, two] = [await conversation.history.at({ event: other }), await conversation.history.at({ event })];
      return { other, event, changes: stateDiff(plainState(one.state), plainState(two.state)) };
    },
    120,
  );
  return (
    <div aria-busy={loading}>
      <p className="row" data-wrap>
        <label>
          Since event{' '}
          <input
            type="number"
            className="input tm-number"
            min={0}
            max={total - 1}
            value={other}
            onChange={({ target }) =>
              setChosen(Number.isNaN(target.valueAsNumber) ? undefined : Math.max(0, target.valueAsNumber))
            }
          />
        </label>
        <button type="button" className="button" data-size="small" onClick={() => setChosen(event)}>
          Keep this point
        </button>
        <button type="button" className="button" data-size="small" onClick={() => setChosen(undefined)}>
          Event before
        </button>
      </p>
      {failure && <p role="alert">The states cannot be compared: {failure}</p>}
      {!value && loading && <p className="conv-quiet">Comparing …</p>}
      {value && (
        <>
          <p className="conv-quiet numbers">
            Between events {value.other} and {value.event}
            {loading && ` · reading ${other} and ${event} …`}
          </p>
          <StateChanges changes={value.changes} nothing="Nothing in the state changed." />
        </>
      )}
    </div>
  );
}
