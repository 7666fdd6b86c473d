import type { ComponentProps, ReactElement, ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** Properties of {@link Button}, beside all of a native button. */
export interface ButtonProps extends ComponentProps<'button'> {
  /** `main` for the one action that a view is about. Default `normal`. */
  readonly look?: 'main' | 'normal' | 'plain' | 'danger';
  readonly size?: 'small' | 'normal';
  readonly icon?: IconName;
  /** Shows the icon alone; `children` become the name for screen readers. */
  readonly iconOnly?: boolean;
  /** True while its action is running: it shows a spinner and ignores clicks. */
  readonly busy?: boolean;
  /** The reason why it cannot be used now; it stays reachable by keyboard so that the reason is read. */
  readonly unavailable?: string | null;
}

/** A button. Without `type` it submits nothing. */
export function Button({
  look = 'normal',
  size = 'normal',
  icon,
  iconOnly = false,
  busy = false,
  unavailable,
  children,
  onClick,
  title,
  type = 'button',
  className = '',
  ...rest
}: ButtonProps): ReactElement {
  const blocked = busy || Boolean(unavailable);
  return (
    <button
      {...rest}
      type={type}
      className={`button ${className}`}
      data-look={look}
      data-size={size}
      data-icon-only={iconOnly || undefined}
      aria-disabled={blocked || undefined}
      aria-busy={busy || undefined}
      title={unavailable ?? title ?? (iconOnly && typeof children === 'string' ? children : undefined)}
      onClick={(event) => {
        if (blocked) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      <ButtonWords hidden={iconOnly}>{children}</ButtonWords>
    </button>
  );
}

function ButtonWords({ hidden, children }: { readonly hidden: boolean; readonly children: ReactNode }): ReactNode {
  return hidden ? <span className="hidden">{children}</span> : children;
}
