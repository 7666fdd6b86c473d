import { type ReactElement, type ReactNode, useState } from 'react';
import { explain } from '../data/explain.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Notice } from '../design/notice.tsx';

/** Properties of {@link ActForm}. */
export interface ActFormProps {
  readonly title: string;
  readonly about?: ReactNode;
  /** The label of the button that submits. */
  readonly verb: string;
  readonly onClose: () => void;
  /** Performs the action. The dialog closes when it resolves, and shows the message of an error. */
  readonly onSubmit: () => Promise<unknown>;
  /** The reason why it cannot act; `null` if it can. */
  readonly unavailable?: string | null;
  /** True if the action leads to another view, which closes the dialog. */
  readonly keepOpen?: boolean;
  readonly children: ReactNode;
}

/** A dialog with a form that changes something at the server. */
export function ActForm(props: ActFormProps): ReactElement {
  const { title, about, verb, onClose, onSubmit, unavailable = null, keepOpen = false, children } = props;
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const submit = async (): Promise<void> => {
    if (unavailable !== null || busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await onSubmit();
      if (!keepOpen) onClose();
    } catch (error) {
      setFailure(explain(error));
      setBusy(false);
    }
  };
  return (
    <Dialog open onClose={onClose} title={title} about={about}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {children}
        {unavailable !== null && (
          <p className="field-hint" role="status">
            {unavailable}
          </p>
        )}
        {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
        <div className="row" data-end data-wrap>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="main" busy={busy} unavailable={unavailable}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
