import { type ReactElement, useState } from 'react';
import { StateChanges } from '../time/state-changes.tsx';
import { useLoaded } from '../conversation/use-loaded.ts';
import { plainState } from '../time/plain-state.ts';
import { stateDiff } from '../time/state-diff.ts';
import type { ComparedSide } from './compared-side.ts';

/** Shows how the states of two points differ, once a person opens it. */
export function ComparedStates({ one, two }: { readonly one: ComparedSide; readonly two: ComparedSide }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="cmp-states" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Differences of the state</summary>
      {isOpen && <Differences one={one} two={two} />}
    </details>
  );
}

function Differences({ one, two }: { readonly one: ComparedSide; readonly two: ComparedSide }): ReactElement {
  const key = `${one.conversation.id} ${one.event} ${two.conversation.id} ${two.event}`;
  const { value, failure } = useLoaded(key, async () => {
    const states = [];
    for (const { conversation, event } of [one, two]) states.push((await conversation.history.at({ event })).state);
    const [before, after] = states.map(plainState);
    return stateDiff(before, after);
  });
  if (failure) return <p role="alert">The states cannot be compared: {failure}</p>;
  if (!value) return <p className="quiet">Comparing …</p>;
  return <StateChanges changes={value} nothing="The states are equal." />;
}
