import { ToolError, type ClientToolSpec } from '@conv/core/tool';
import { z } from 'zod';

const hints = z.object({
  title: z.string().nullish(),
  readOnlyHint: z.exactOptional(z.boolean()),
  destructiveHint: z.exactOptional(z.boolean()),
  idempotentHint: z.exactOptional(z.boolean()),
  openWorldHint: z.exactOptional(z.boolean()),
});

const specSchema = z.object({
  name: z.string().min(1),
  description: z.string(),
  parameters: z
    .record(z.string(), z.json())
    .default({ type: 'object', properties: {} })
    .refine(({ type }) => type === 'object', 'must be the JSON Schema of an object, of type "object"'),
  annotations: hints.nullish(),
});

/** Returns the errors of a spec by place; none for a valid spec. */
export function clientToolIssues(value: unknown): readonly z.core.$ZodIssue[] {
  return specSchema.safeParse(value).error?.issues ?? [];
}

/** Maximal bytes of JSON of all client tools of a conversation, because they share an event with others. */
const MAX_BYTES = 256 * 1024;

/** Returns an error text, with a remedy, for client tools that are too large together; `undefined` for tools that fit. */
export function oversizedClientTools(specs: readonly ClientToolSpec[]): string | undefined {
  const size = bytesOf(specs);
  if (size <= MAX_BYTES) return undefined;
  const [largest] = specs.toSorted((a, b) => bytesOf(b) - bytesOf(a));
  const which = largest ? `; the largest is ${JSON.stringify(largest.name.slice(0, 80))} with ${bytesOf(largest)}` : '';
  return `expected at most ${MAX_BYTES} bytes of JSON for all client tools together, found ${size}; shorten descriptions and parameters, or give fewer tools${which}`;
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** Returns the spec in a value, without unknown members. Throws {@link ToolError} `INVALID_DEFINITION` that names the error. */
export function parseClientTool(value: unknown): ClientToolSpec {
  const read = specSchema.safeParse(value);
  if (read.success) return toSpec(read.data);
  const [issue] = read.error.issues;
  const where = issue?.path.join('.') || '(the spec)';
  throw new ToolError('INVALID_DEFINITION', `${where}: ${issue?.message}`, { cause: read.error });
}

/** Returns the spec in a value of a file; `undefined` where there is none. */
export function readClientTool(value: unknown): ClientToolSpec | undefined {
  const read = specSchema.safeParse(value);
  return read.success ? toSpec(read.data) : undefined;
}

function toSpec({ name, description, parameters, annotations }: z.output<typeof specSchema>): ClientToolSpec {
  if (!annotations) return { name, description, parameters };
  const { title, ...given } = annotations;
  return { name, description, parameters, annotations: { ...(title ? { title } : {}), ...given } };
}
