import type { Json, JsonObject, PendingAction } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { type FormEvent, type ReactElement, useState } from 'react';
import { useServer } from '../app/studio.ts';
import { Button } from '../design/button.tsx';
import { Field, type FieldInput } from '../design/field.tsx';
import { useActing } from './actions.ts';

/** Shows a question of the agent or of an MCP server: choices, fields, an address, or a text to write. */
export function UserQuestion({ action }: { readonly action: PendingAction }): ReactElement {
  const { conversation, actions, readOnly } = useActing();
  const canAnswer = useServer().capabilities.has('call_answers_v1');
  const unavailable = readOnly ?? (canAnswer ? null : 'This server does not let clients answer calls');
  const { question, choices, free_text: free, fields, url, from } = inputOf(action);
  const send = (content: string): void =>
    void actions.run('answer', () => conversation.answerCall(action.id, { content }));
  const isForm = isJsonObject(fields);
  const options = Array.isArray(choices) ? choices.filter((choice) => typeof choice === 'string') : [];
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    if (isForm) send(JSON.stringify(answered(fields, form)));
    else if (typeof url === 'string') send('accept');
    else send(textOf(form.get('answer')));
  };
  return (
    <article className="approval" aria-label="Question to you">
      <h3>{typeof from === 'string' ? `The MCP server ${from} asks you` : 'The agent asks you'}</h3>
      <p>{typeof question === 'string' ? question : ''}</p>
      {typeof url === 'string' && <Address url={url} />}
      <form onSubmit={submit}>
        {options.map((choice) => (
          <Button key={choice} unavailable={unavailable} onClick={() => send(choice)}>
            {choice}
          </Button>
        ))}
        {isForm &&
          Object.entries(propertiesOf(fields)).map(([name, about]) => (
            <FormField
              key={name}
              name={name}
              about={isJsonObject(about) ? about : {}}
              isRequired={isRequired(fields, name)}
            />
          ))}
        {!isForm && url === undefined && (options.length === 0 || free !== false) && (
          <Field label="Your answer">{(input) => <textarea {...input} name="answer" rows={3} required />}</Field>
        )}
        <div className="row" data-end data-wrap>
          {(isForm || url !== undefined) && (
            <>
              <Button unavailable={unavailable} onClick={() => send('cancel')}>
                Cancel
              </Button>
              <Button unavailable={unavailable} onClick={() => send('decline')}>
                Decline
              </Button>
            </>
          )}
          {(options.length === 0 || free !== false) && (
            <Button look="main" type="submit" unavailable={unavailable}>
              {url === undefined ? 'Answer' : 'I have opened it'}
            </Button>
          )}
        </div>
      </form>
    </article>
  );
}

/** Shows an address as text, and as a link if it leads to a web page. */
function Address({ url }: { readonly url: string }): ReactElement {
  const isWeb = /^https?:\/\//.test(url);
  return (
    <p>
      {isWeb ? (
        <a href={url} target="_blank" rel="noopener noreferrer">
          {url}
        </a>
      ) : (
        url
      )}
    </p>
  );
}

interface FormFieldProps {
  readonly name: string;
  readonly about: JsonObject;
  readonly isRequired: boolean;
}

function FormField({ name, about, isRequired }: FormFieldProps): ReactElement {
  const { title, description } = about;
  const label = typeof title === 'string' ? title : name;
  return (
    <Field label={label} {...(typeof description === 'string' ? { hint: description } : {})}>
      {(input) => <FieldControl name={name} about={about} isRequired={isRequired} input={input} />}
    </Field>
  );
}

function FieldControl({
  name,
  about,
  isRequired,
  input,
}: FormFieldProps & { readonly input: FieldInput }): ReactElement {
  const { type } = about;
  const [checked, check] = useState(about['default'] === true);
  const start = typeof about['default'] === 'string' || typeof about['default'] === 'number' ? about['default'] : '';
  const choices = choicesOf(about);
  if (type === 'boolean')
    return <input {...input} type="checkbox" name={name} checked={checked} onChange={() => check(!checked)} />;
  if (choices.length > 0)
    return (
      <select
        {...input}
        name={name}
        multiple={type === 'array'}
        required={isRequired}
        defaultValue={type === 'array' ? [] : String(start)}
      >
        {type !== 'array' && <option value="" />}
        {choices.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    );
  const isNumber = type === 'number' || type === 'integer';
  return (
    <input
      {...input}
      type={isNumber ? 'number' : 'text'}
      step={type === 'integer' ? 1 : 'any'}
      name={name}
      required={isRequired}
      defaultValue={start}
    />
  );
}

/** Returns the values to choose from with their texts; none for a field that is written. */
function choicesOf(about: JsonObject): readonly (readonly [string, string])[] {
  const { items, enum: values, enumNames: names, oneOf, anyOf } = about;
  if (isJsonObject(items)) return choicesOf(items);
  if (Array.isArray(values))
    return values.map((value, at) => [String(value), String(Array.isArray(names) ? (names[at] ?? value) : value)]);
  const titled = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [];
  return titled
    .filter(isJsonObject)
    .map(({ const: value, title }) => [textOf(value), typeof title === 'string' ? title : textOf(value)]);
}

/** Returns the fields as the schema types them. Fields without a value are left out. */
function answered(fields: JsonObject, form: FormData): JsonObject {
  const answer: Record<string, Json> = {};
  for (const [name, about] of Object.entries(propertiesOf(fields))) {
    const type = isJsonObject(about) ? about['type'] : undefined;
    const given = form
      .getAll(name)
      .map(String)
      .filter((value) => value !== '');
    if (type === 'boolean') answer[name] = given.length > 0;
    else if (type === 'array' && given.length > 0) answer[name] = given;
    else if (given[0] !== undefined)
      answer[name] = type === 'number' || type === 'integer' ? Number(given[0]) : given[0];
  }
  return answer;
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function isRequired({ required }: JsonObject, name: string): boolean {
  return Array.isArray(required) && required.includes(name);
}

function inputOf({ tool_call: { arguments: json } }: PendingAction): JsonObject {
  try {
    const input: unknown = JSON.parse(json);
    return isJsonObject(input) ? input : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
