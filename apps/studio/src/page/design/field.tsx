import { type ReactElement, type ReactNode, useId } from 'react';

/** Properties that tie an input to its label, hint and error. */
export interface FieldInput {
  readonly id: string;
  readonly className: 'input';
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: boolean;
}

/** Properties of {@link Field}. */
export interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** The mistake in its value, and what to do. */
  readonly wrong?: string | undefined;
  readonly children: (input: FieldInput) => ReactNode;
}

/** An input with its label, a hint and what is wrong. */
export function Field({ label, hint, wrong, children }: FieldProps): ReactElement {
  const id = useId();
  const about = [hint === undefined ? '' : `${id}-hint`, wrong === undefined ? '' : `${id}-wrong`].join(' ').trim();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        className: 'input',
        ...(about === '' ? {} : { 'aria-describedby': about }),
        ...(wrong === undefined ? {} : { 'aria-invalid': true }),
      })}
      {hint !== undefined && (
        <span className="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {wrong !== undefined && (
        <span className="field-wrong" id={`${id}-wrong`}>
          {wrong}
        </span>
      )}
    </div>
  );
}
