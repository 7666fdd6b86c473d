import type { Json, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';

const LIMITS = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
] as const satisfies readonly (keyof QuestionField['limits'])[];

/** A field of a question, in the form in which people are asked for it. */
export interface QuestionField {
  readonly name: string;
  /** `choices` takes any number of the choices, and `text` one of them if there are any. */
  readonly type: 'text' | 'number' | 'integer' | 'boolean' | 'choices';
  readonly isRequired: boolean;
  /** The title of the field. Default: its name. */
  readonly label: string;
  readonly description?: string;
  /** The values to choose from, with their labels. Empty for a field that is written. */
  readonly choices: readonly (readonly [value: string, label: string])[];
  /** The value of an answer that leaves the field out. */
  readonly default?: Json;
  /** Keywords of JSON Schema that limit a value. */
  readonly limits: {
    readonly minimum?: number;
    readonly maximum?: number;
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly minItems?: number;
    readonly maxItems?: number;
  };
  /** The format of a text, such as `email`. */
  readonly format?: string;
}

/** Returns the fields of a JSON Schema of an object, in its order. */
export function questionFields(schema: JsonObject): readonly QuestionField[] {
  const { required } = schema;
  const names = Array.isArray(required) ? required : [];
  return Object.entries(propertiesOf(schema)).map(([name, about]) => {
    return questionField(name, isJsonObject(about) ? about : {}, names.includes(name));
  });
}

/** Returns the fields of an answer, with the defaults of fields that it leaves out. */
export function withDefaults(schema: JsonObject, answer: JsonObject): JsonObject {
  const left = questionFields(schema).filter((field) => 'default' in field && !Object.hasOwn(answer, field.name));
  return { ...Object.fromEntries(left.map((field) => [field.name, field.default ?? null])), ...answer };
}

/** Returns the schemas of the fields, by name. */
export function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function questionField(name: string, about: JsonObject, isRequired: boolean): QuestionField {
  const { title, description, default: preset, format } = about;
  return {
    name,
    type: typeOf(about),
    isRequired,
    label: typeof title === 'string' ? title : name,
    ...(typeof description === 'string' ? { description } : {}),
    choices: choicesOf(about),
    ...(preset === undefined || preset === null ? {} : { default: preset }),
    limits: Object.fromEntries(
      LIMITS.flatMap((limit) => {
        const value = about[limit];
        return typeof value === 'number' ? [[limit, value] as const] : [];
      }),
    ),
    ...(typeof format === 'string' ? { format } : {}),
  };
}

function typeOf({ type }: JsonObject): QuestionField['type'] {
  if (type === 'array') return 'choices';
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'text';
}

function choicesOf({ items, enum: values, enumNames: names, oneOf, anyOf }: JsonObject): QuestionField['choices'] {
  if (isJsonObject(items)) return choicesOf(items);
  if (Array.isArray(values))
    return values.map((value, at) => [textOf(value), textOf((Array.isArray(names) ? names[at] : undefined) ?? value)]);
  const titled = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [];
  return titled
    .filter(isJsonObject)
    .flatMap(({ const: value, title }) =>
      value === undefined ? [] : [[textOf(value), typeof title === 'string' ? title : textOf(value)] as const],
    );
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
