import type { ReactElement } from 'react';

/** Shows that work is in progress. */
export function Spinner({ label }: { readonly label: string }): ReactElement {
  return (
    <span className="row quiet" role="status">
      <span className="spinner" aria-hidden="true" />
      {label}
    </span>
  );
}
