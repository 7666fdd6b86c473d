import type { ReactElement } from 'react';
import { Choice } from '../design/choice.tsx';
import { kindName } from '../time/kind-name.ts';

/** A policy that a person can choose. */
export type PolicyKind = 'AlwaysConfirm' | 'ConfirmRisky' | 'NeverConfirm';

const POLICIES: readonly (readonly [kind: PolicyKind, title: string, about: string])[] = [
  ['AlwaysConfirm', 'Ask before every call', 'Nothing runs before you have approved it.'],
  ['ConfirmRisky', 'Ask before risky calls', 'Calls of high or unknown risk wait for you; others run.'],
  ['NeverConfirm', 'Never ask', 'Every call runs at once.'],
];

/** Returns the words for a policy. */
export function policyWords(kind: unknown): string {
  return titleOf(kind) ?? 'Another policy';
}

/** Returns the words for a policy; for one without words, the name that the log has. */
export function policyName(policy: object | null): string {
  const kind = kindName(policy);
  return titleOf(kind) ?? kind;
}

function titleOf(kind: unknown): string | undefined {
  return POLICIES.find(([each]) => each === kind)?.[1];
}

/** Properties of {@link PolicyChoice}. */
export interface PolicyChoiceProps {
  readonly policy: string;
  readonly onChange: (policy: PolicyKind) => void;
}

/** The choice of a policy, with what each means. */
export function PolicyChoice({ policy, onChange }: PolicyChoiceProps): ReactElement {
  return (
    <fieldset className="stack" data-close>
      <legend>When the agent asks you</legend>
      {POLICIES.map(([kind, title, about]) => (
        <Choice key={kind} name="policy" title={title} checked={policy === kind} onChoose={() => onChange(kind)}>
          {about}
        </Choice>
      ))}
    </fieldset>
  );
}
