import type { ReactElement, ReactNode } from 'react';

/** Meaning of a badge's colour. */
export type Tone = 'quiet' | 'good' | 'bad' | 'careful' | 'info' | 'accent';

/** Properties of {@link Badge}. */
export interface BadgeProps {
  readonly tone?: Tone;
  /** Shows a dot before the words; `live` lets it pulse. */
  readonly dot?: boolean | 'live';
  readonly title?: string;
  readonly children: ReactNode;
}

/** A short label in a coloured pill. The words say all that the colour says. */
export function Badge({ tone = 'quiet', dot = false, title, children }: BadgeProps): ReactElement {
  return (
    <span className="badge" data-tone={tone} data-live={dot === 'live' || undefined} title={title}>
      {dot !== false && <span className="badge-dot" aria-hidden="true" />}
      <span className="cut">{children}</span>
    </span>
  );
}
