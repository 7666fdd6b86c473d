import type { ReactElement } from 'react';

/** Says that something is under way. */
export function Spinner({ label }: { readonly label: string }): ReactElement {
  return (
    <span className="row quiet" role="status">
      <span className="spinner" aria-hidden="true" />
      {label}
    </span>
  );
}
