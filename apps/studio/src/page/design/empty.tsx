import type { ReactElement, ReactNode } from 'react';

/** Properties of {@link Empty}. */
export interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** Buttons that lead on. */
  readonly actions?: ReactNode;
}

/** Says why there is nothing to see, and what to do. */
export function Empty({ title, children, actions }: EmptyProps): ReactElement {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {actions && <div className="row">{actions}</div>}
    </div>
  );
}
