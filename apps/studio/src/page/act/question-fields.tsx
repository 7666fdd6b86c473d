import type { JsonObject } from '@conv/core';
import { questions } from '@conv/openhands/client-tools';
import type { ReactElement } from 'react';
import { Field, type FieldInput } from '../design/field.tsx';
import type { Mistakes } from './question-answer.ts';

/** Formats of texts that browsers check. */
const TYPES: Readonly<Record<string, string>> = { email: 'email', uri: 'url', date: 'date' };

/** Properties of {@link QuestionFields}. */
export interface QuestionFieldsProps {
  /** JSON Schema of the fields. */
  readonly fields: JsonObject;
  readonly mistakes: Mistakes;
}

/** The fields of a question, with their defaults filled in. */
export function QuestionFields({ fields, mistakes }: QuestionFieldsProps): ReactElement {
  return (
    <>
      {questions.fieldsOf(fields).map((field) => (
        <Field key={field.name} label={field.label} hint={hintOf(field)} wrong={mistakes.get(field.name)}>
          {(input) => <FieldControl field={field} input={input} />}
        </Field>
      ))}
    </>
  );
}

interface FieldControlProps {
  readonly field: questions.QuestionField;
  readonly input: FieldInput;
}

function FieldControl({ field, input }: FieldControlProps): ReactElement {
  const { name, type, choices, limits, format = '' } = field;
  if (type === 'boolean')
    return <input {...input} type="checkbox" name={name} defaultChecked={field.default === true} />;
  if (type === 'choices' || choices.length > 0) return <FieldChoices field={field} input={input} />;
  const start = typeof field.default === 'string' || typeof field.default === 'number' ? field.default : '';
  if (type === 'text')
    return (
      <input
        {...input}
        type={TYPES[format] ?? 'text'}
        name={name}
        required={field.isRequired}
        minLength={limits.minLength}
        maxLength={limits.maxLength}
        defaultValue={start}
      />
    );
  return (
    <input
      {...input}
      type="number"
      name={name}
      // an empty number would be the default again
      required={field.isRequired || start !== ''}
      step={type === 'integer' ? 1 : 'any'}
      min={limits.minimum}
      max={limits.maximum}
      defaultValue={start}
    />
  );
}

function FieldChoices({ field, input }: FieldControlProps): ReactElement {
  const { name, type, choices, isRequired } = field;
  const isMany = type === 'choices';
  const chosen = (Array.isArray(field.default) ? field.default : [field.default ?? '']).map(String);
  return (
    <select
      {...input}
      name={name}
      multiple={isMany}
      required={isRequired}
      defaultValue={isMany ? chosen : (chosen[0] ?? '')}
    >
      {!isMany && field.default === undefined && <option value="" />}
      {choices.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** Returns the description of a field, and the format that its control does not show. */
function hintOf({ description, format = '' }: questions.QuestionField): string | undefined {
  const hints = [description ?? '', format === '' || format in TYPES ? '' : `Format: ${format}`];
  return hints.filter((hint) => hint !== '').join('. ') || undefined;
}
