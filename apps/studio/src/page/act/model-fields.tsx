import { type ReactElement, useEffect, useId, useState } from 'react';
import { useStudio } from '../app/studio.ts';
import { serverRequests } from '../data/requests.ts';
import { Field } from '../design/field.tsx';

/** A model as a person names it. */
export interface ModelText {
  readonly model: string;
  readonly baseUrl: string;
  /** Sent with one request, and not stored in the page. */
  readonly apiKey: string;
}

/** Returns the model as the wire describes it. */
export function toLlm({ model, baseUrl, apiKey }: ModelText): { readonly [name: string]: string } {
  return {
    model: model.trim(),
    ...(baseUrl.trim() === '' ? {} : { base_url: baseUrl.trim() }),
    ...(apiKey.trim() === '' ? {} : { api_key: apiKey.trim() }),
    usage_id: 'agent',
  };
}

/** Properties of {@link ModelFields}. */
export interface ModelFieldsProps {
  readonly model: ModelText;
  readonly onChange: (model: ModelText) => void;
}

/** The inputs for a model; names that the server knows are offered. */
export function ModelFields({ model, onChange }: ModelFieldsProps): ReactElement {
  const list = useId();
  const names = useModelNames();
  const set = (change: Partial<ModelText>): void => onChange({ ...model, ...change });
  return (
    <div className="stack">
      <Field label="Name of the model" hint="With its provider, such as anthropic/claude-sonnet-4-5 or openai/gpt-5.">
        {(input) => (
          <>
            <input
              {...input}
              list={list}
              spellCheck={false}
              value={model.model}
              onChange={(event) => set({ model: event.target.value })}
            />
            <datalist id={list}>
              {names.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <div className="fields-2">
        <Field label="Key of the provider" hint="Sent once to the server. The page does not store it.">
          {(input) => (
            <input
              {...input}
              type="password"
              autoComplete="off"
              value={model.apiKey}
              onChange={(event) => set({ apiKey: event.target.value })}
            />
          )}
        </Field>
        <Field label="Address" hint="Only for a server of your own.">
          {(input) => (
            <input
              {...input}
              type="url"
              spellCheck={false}
              placeholder="https://…"
              value={model.baseUrl}
              onChange={(event) => set({ baseUrl: event.target.value })}
            />
          )}
        </Field>
      </div>
    </div>
  );
}

function useModelNames(): readonly string[] {
  const { api } = useStudio();
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    // a server without a list takes any name
    api.call<{ readonly models?: Readonly<Record<string, readonly string[]>> }>(serverRequests.getVerifiedModels).then(
      ({ models = {} }) => setNames(Object.entries(models).flatMap(qualified)),
      () => {},
    );
  }, [api]);
  return names;
}

function qualified([provider, models]: readonly [string, readonly string[]]): readonly string[] {
  return models.map((name) => (name.includes('/') ? name : `${provider}/${name}`));
}
