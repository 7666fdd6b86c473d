import type { ReactElement } from 'react';
import type { ActDialogProps } from './act-dialog-props.ts';
import { CompareDialog } from './compare-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { ForkDialog } from './fork-dialog.tsx';
import { LabelsDialog } from './labels-dialog.tsx';
import { LimitsDialog } from './limits-dialog.tsx';
import { ModelDialog } from './model-dialog.tsx';
import { PolicyDialog } from './policy-dialog.tsx';

const DIALOGS = {
  fork: ForkDialog,
  compare: CompareDialog,
  labels: LabelsDialog,
  model: ModelDialog,
  policy: PolicyDialog,
  limits: LimitsDialog,
  delete: DeleteDialog,
} as const satisfies Record<string, (props: ActDialogProps) => ReactElement>;

/** Name of a dialog that acts. */
export type ActDialogName = keyof typeof DIALOGS;

/** The open dialog, if any. */
export function ActDialogs({
  open,
  onClose,
}: {
  readonly open: ActDialogName | undefined;
  readonly onClose: () => void;
}): ReactElement | null {
  if (open === undefined) return null;
  const Opened = DIALOGS[open];
  return <Opened onClose={onClose} />;
}
