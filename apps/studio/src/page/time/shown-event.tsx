import type { ReactElement } from 'react';
import { amounts } from '../design/amounts.ts';

/** Says after which event something holds, and which event is read meanwhile if it is another event. */
export function ShownEvent({ shown, wanted }: { readonly shown: number; readonly wanted: number }): ReactElement {
  return (
    <p className="conv-quiet numbers">
      After event {amounts.count(shown)}
      {shown !== wanted && ` · reading event ${amounts.count(wanted)} …`}
    </p>
  );
}
