import { type ReactElement, useState } from 'react';
import { useServer } from '../app/studio.ts';
import type { ActDialogProps } from './act-dialog-props.ts';
import { ActForm } from './act-form.tsx';
import { useActing } from './actions.ts';
import { LimitsFields, limitsText, readLimits } from './limits-fields.tsx';

/** Changes the limits of runs. */
export function LimitsDialog({ onClose }: ActDialogProps): ReactElement {
  const { conversation } = useActing();
  const [limits, setLimits] = useState(() => limitsText(conversation.state));
  const read = readLimits(limits);
  const canChange = useServer().capabilities.has('settings_v1');
  const save = async (): Promise<void> => {
    if (typeof read !== 'string') await conversation.settings.setLimits(read);
  };
  const wrong = typeof read === 'string' ? read : null;
  return (
    <ActForm
      title="Limits"
      about="They apply from the next step on. A run that reaches a limit stops, and can be run again."
      verb="Save"
      onClose={onClose}
      onSubmit={save}
      unavailable={canChange ? wrong : 'This server cannot change limits of a conversation.'}
    >
      <LimitsFields limits={limits} onChange={setLimits} />
    </ActForm>
  );
}
