import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactElement, ReactNode } from 'react';

/** Properties of {@link Dialog}. */
export interface DialogProps {
  readonly open: boolean;
  /** Called when a person leaves it: by Escape, by a click beside it, or by a button that closes. */
  readonly onClose: () => void;
  readonly title: string;
  readonly about?: ReactNode;
  readonly wide?: boolean;
  readonly children?: ReactNode;
  /** Buttons at the end; the last of them acts. */
  readonly actions?: ReactNode;
}

/** A dialog over the page: it holds the focus, and gives it back when it closes. */
export function Dialog({ open, onClose, title, about, wide = false, children, actions }: DialogProps): ReactElement {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="scrim" />
        <Base.Popup className="dialog" data-wide={wide || undefined}>
          <Base.Title className="dialog-title">{title}</Base.Title>
          {about !== undefined && <Base.Description className="dialog-about">{about}</Base.Description>}
          {children}
          {actions !== undefined && (
            <div className="row" data-end data-wrap>
              {actions}
            </div>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
