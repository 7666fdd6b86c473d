import type { ReactElement } from 'react';
import { ModelFields } from '../act/model-fields.tsx';
import { useServer } from '../app/studio.ts';
import { Choice } from '../design/choice.tsx';
import type { StartForm } from './start-form.ts';
import { type AgentChoices, DEFAULT_TOOLS } from './agent-choices.ts';

/** Properties of {@link AgentFields}. */
export interface AgentFieldsProps {
  readonly form: StartForm;
  readonly choices: AgentChoices;
  readonly onChange: (change: Partial<StartForm>) => void;
}

/** The choice of the agent: a profile of the server, or a model with its tools. */
export function AgentFields({ form, choices, onChange }: AgentFieldsProps): ReactElement {
  const { profiles, preferred } = choices;
  const agent = form.agent ?? preferred;
  const isOwn = 'own' in agent;
  return (
    <fieldset className="stack">
      <legend>Agent</legend>
      {profiles.map(({ id, name, about }) => (
        <Choice
          key={id}
          name="agent"
          title={name}
          checked={!isOwn && agent.profile === id}
          onChoose={() => onChange({ agent: { profile: id } })}
        >
          {about}
        </Choice>
      ))}
      {profiles.length > 0 && (
        <Choice name="agent" title="Another model" checked={isOwn} onChoose={() => onChange({ agent: { own: true } })}>
          Name a model and its tools for this conversation.
        </Choice>
      )}
      {isOwn && (
        <div className="start-own stack">
          <ModelFields model={form.model} onChange={(model) => onChange({ model })} />
          <ToolChoice tools={form.tools} onChange={(tools) => onChange({ tools })} />
        </div>
      )}
    </fieldset>
  );
}

interface ToolChoiceProps {
  readonly tools: readonly string[] | undefined;
  readonly onChange: (tools: readonly string[]) => void;
}

function ToolChoice({ tools, onChange }: ToolChoiceProps): ReactElement | null {
  const offered = useServer().tools;
  if (offered.length === 0) return null;
  const chosen = tools ?? offered.filter((name) => DEFAULT_TOOLS.has(name));
  return (
    <fieldset>
      <legend>Tools</legend>
      <div className="start-tools">
        {offered.map((name) => (
          <label key={name} className="row">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, name] : chosen.filter((each) => each !== name))
              }
            />
            <span className="mono">{name}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
