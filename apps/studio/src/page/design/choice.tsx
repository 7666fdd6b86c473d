import type { ReactElement, ReactNode } from 'react';

/** Properties of {@link Choice}. */
export interface ChoiceProps {
  /** The same for all choices of which one is taken. */
  readonly name: string;
  readonly checked: boolean;
  readonly onChoose: () => void;
  readonly title: string;
  readonly children?: ReactNode;
}

/** One of several choices, with an explanation. */
export function Choice({ name, checked, onChoose, title, children }: ChoiceProps): ReactElement {
  return (
    <label className="choice">
      <input type="radio" name={name} checked={checked} onChange={onChoose} />
      <span>
        <strong>{title}</strong>
        {children && <span>{children}</span>}
      </span>
    </label>
  );
}
