import type { z } from 'zod';

/** Description of a problem, with the texts that OpenHands' clients expect. */
interface IssueDescription {
  readonly type: string;
  readonly msg: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

const WRONG_TYPE: Readonly<Record<string, readonly [type: string, msg: string]>> = {
  string: ['string_type', 'Input should be a valid string'],
  number: ['float_type', 'Input should be a valid number'],
  int: ['int_type', 'Input should be a valid integer'],
  boolean: ['bool_type', 'Input should be a valid boolean'],
  array: ['list_type', 'Input should be a valid list'],
  object: ['model_attributes_type', 'Input should be a valid dictionary or object to extract fields from'],
  record: ['dict_type', 'Input should be a valid dictionary'],
  tuple: ['tuple_type', 'Input should be a valid tuple'],
  null: ['none_required', 'Input should be None'],
};

const PARSING: Readonly<Record<string, readonly [type: string, msg: string]>> = {
  int: ['int_parsing', 'Input should be a valid integer, unable to parse string as an integer'],
  number: ['float_parsing', 'Input should be a valid number, unable to parse string as a number'],
  boolean: ['bool_parsing', 'Input should be a valid boolean, unable to interpret input'],
};

/** Returns the type and text of an issue about a value; `undefined` is a missing value. */
export function describeIssue(issue: z.core.$ZodIssue, input: unknown): IssueDescription {
  if (input === undefined && issue.code !== 'unrecognized_keys') return { type: 'missing', msg: 'Field required' };
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue.message.includes('integer') ? 'int' : issue.expected, input);
    case 'invalid_value':
      return oneOfThese(issue.values);
    case 'invalid_format':
      return wrongFormat(issue);
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return tooBig(issue);
    case 'unrecognized_keys':
      return { type: 'extra_forbidden', msg: 'Extra inputs are not permitted' };
    case 'invalid_key':
      return { type: 'value_error', msg: issue.issues[0]?.message ?? issue.message };
    case 'custom':
    case 'invalid_element':
    case 'invalid_union':
    case 'not_multiple_of':
      return { type: 'value_error', msg: issue.message };
  }
}

function wrongType(expected: string, input: unknown): IssueDescription {
  if (expected === 'int' && typeof input === 'number')
    return { type: 'int_from_float', msg: 'Input should be a valid integer, got a number with a fractional part' };
  const parsing = typeof input === 'string' ? PARSING[expected] : undefined;
  const [type, msg] = parsing ?? WRONG_TYPE[expected] ?? ['value_error', `Input should be a valid ${expected}`];
  return { type, msg };
}

function oneOfThese(values: readonly z.core.util.Primitive[]): IssueDescription {
  const expected = values
    .map((value) => `'${String(value)}'`)
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1');
  return {
    type: values.length === 1 ? 'literal_error' : 'enum',
    msg: `Input should be ${expected}`,
    ctx: { expected },
  };
}

function wrongFormat(issue: z.core.$ZodIssueInvalidStringFormat): IssueDescription {
  if (issue.format === 'uuid') return { type: 'uuid_parsing', msg: 'Input should be a valid UUID' };
  if (issue.format === 'datetime')
    return { type: 'datetime_from_date_parsing', msg: 'Input should be a valid datetime or date' };
  const pattern = (issue.pattern ?? '').replace(/^\/|\/[a-z]*$/g, '');
  return { type: 'string_pattern_mismatch', msg: `String should match pattern '${pattern}'`, ctx: { pattern } };
}

function tooSmall(issue: z.core.$ZodIssueTooSmall): IssueDescription {
  const least = Number(issue.minimum);
  if (issue.origin === 'string')
    return {
      type: 'string_too_short',
      msg: `String should have at least ${least} characters`,
      ctx: { min_length: least },
    };
  if (issue.origin === 'array')
    return { type: 'too_short', msg: `List should have at least ${least} items`, ctx: { min_length: least } };
  return issue.inclusive === false
    ? { type: 'greater_than', msg: `Input should be greater than ${least}`, ctx: { gt: least } }
    : { type: 'greater_than_equal', msg: `Input should be greater than or equal to ${least}`, ctx: { ge: least } };
}

function tooBig(issue: z.core.$ZodIssueTooBig): IssueDescription {
  const most = Number(issue.maximum);
  if (issue.origin === 'string')
    return { type: 'string_too_long', msg: `String should have at most ${most} characters`, ctx: { max_length: most } };
  if (issue.origin === 'array')
    return { type: 'too_long', msg: `List should have at most ${most} items`, ctx: { max_length: most } };
  return issue.inclusive === false
    ? { type: 'less_than', msg: `Input should be less than ${most}`, ctx: { lt: most } }
    : { type: 'less_than_equal', msg: `Input should be less than or equal to ${most}`, ctx: { le: most } };
}
