import type { ReactElement } from 'react';
import { amounts } from './amounts.ts';

/** Shows a cost in US dollars. */
export function Cost({ of }: { readonly of: number }): ReactElement {
  return (
    <span className="numbers" title={`${of} US dollars`}>
      {amounts.dollars(of)}
    </span>
  );
}
