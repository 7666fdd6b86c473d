import { type ReactElement, useState } from 'react';
import type { ActDialogProps } from './act-dialog-props.ts';
import { ActForm } from './act-form.tsx';
import { useActing } from './actions.ts';
import { PolicyChoice, type PolicyKind } from './policy-choice.tsx';

/** Changes the policy that decides when a person is asked. */
export function PolicyDialog({ onClose }: ActDialogProps): ReactElement {
  const { conversation } = useActing();
  const { settings, state } = conversation;
  const [policy, setPolicy] = useState(state.confirmationPolicy.kind as string);
  const save = async (): Promise<void> => {
    if (policy === state.confirmationPolicy.kind) return;
    if (policy === 'ConfirmRisky' && state.securityAnalyzer === null)
      await settings.setSecurityAnalyzer({ kind: 'LLMSecurityAnalyzer' });
    await settings.setConfirmationPolicy({ kind: policy as PolicyKind });
  };
  return (
    <ActForm
      title="Approval policy"
      about="It applies from the next step on. A stricter policy also holds calls that have not started."
      verb="Save"
      onClose={onClose}
      onSubmit={save}
    >
      <PolicyChoice policy={policy} onChange={setPolicy} />
    </ActForm>
  );
}
