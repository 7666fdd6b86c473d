import type { ReactElement, ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

const ICONS = { info: 'info', good: 'check', careful: 'alert', bad: 'alert' } as const satisfies Record<
  string,
  IconName
>;

/** Properties of {@link Notice}. */
export interface NoticeProps {
  readonly tone?: keyof typeof ICONS;
  readonly icon?: IconName;
  /** True if a screen reader interrupts for it. Default: for `bad` alone. */
  readonly urgent?: boolean;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}

/** A sentence that stands out: a state of the page, a warning, an error with advice. */
export function Notice({ tone = 'info', icon, urgent = tone === 'bad', children, actions }: NoticeProps): ReactElement {
  return (
    <div className="notice" data-tone={tone} role={urgent ? 'alert' : 'status'}>
      <Icon name={icon ?? ICONS[tone]} />
      <div className="grow">{children}</div>
      {actions}
    </div>
  );
}
