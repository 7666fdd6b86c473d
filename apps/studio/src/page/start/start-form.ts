import type { Attachment } from '../act/attachments.ts';
import { limitsText, type LimitsText, readLimits } from '../act/limits-fields.tsx';
import type { ModelText } from '../act/model-fields.tsx';
import type { PolicyKind } from '../act/policy-choice.tsx';
import { parseTags } from '../act/tags-text.ts';

/** Where the agent of a new conversation comes from: a profile that the server keeps, or a model with tools. */
export type AgentChoice = { readonly profile: string } | { readonly own: true };

/** The form that starts a conversation, as a person fills it in. */
export interface StartForm {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** `undefined`: not chosen yet. */
  readonly agent: AgentChoice | undefined;
  readonly model: ModelText;
  /** `undefined`: the tools that the server usually gives. */
  readonly tools: readonly string[] | undefined;
  /** `undefined`: the folder that was used last. */
  readonly workspace: string | undefined;
  readonly policy: PolicyKind;
  readonly limits: LimitsText;
  readonly title: string;
  readonly tags: string;
}

/** A form whose open choices were made. */
export interface WholeForm extends StartForm {
  readonly agent: AgentChoice;
  readonly workspace: string;
}

export const EMPTY_FORM: StartForm = {
  text: '',
  attachments: [],
  agent: undefined,
  model: { model: '', baseUrl: '', apiKey: '' },
  tools: undefined,
  workspace: undefined,
  policy: 'ConfirmRisky',
  limits: limitsText({ maxIterations: 500, maxBudgetPerRun: null, maxBudget: null, toolTimeout: null }),
  title: '',
  tags: '',
};

/** Returns the first mistake of a form, with what to do; `undefined` if there is none. */
export function mistakeIn(form: WholeForm): string | undefined {
  if (form.text.trim() === '' && form.attachments.length === 0) return 'Write a first message.';
  if ('own' in form.agent && form.model.model.trim() === '') return 'Name a model, or choose a profile.';
  if (!/^(\/|[A-Za-z]:[\\/])/.test(form.workspace))
    return 'Workspace: enter the whole path of a folder, such as /home/me/project.';
  const limits = readLimits(form.limits);
  if (typeof limits === 'string') return limits;
  const tags = parseTags(form.tags);
  return typeof tags === 'string' ? tags : undefined;
}
