import { z } from 'zod';

import type { ToolAnnotations } from '../../events/tool-definition.ts';
import type { JsonObject } from '../../platform/json.ts';
import { invalidDefinition } from '../errors/tool-error.ts';

/** A tool that the caller of a conversation declares and carries out, as the wire and the conversation's folder hold it. */
export interface ClientToolSpec {
  /** The name that the model uses: `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string;
  /** The purpose of the tool and when to use it, for the model. */
  readonly description: string;
  /**
   * JSON Schema of its input, an object schema without a property `kind`, which actions need for themselves. The model is given
   * it as it is.
   */
  readonly parameters: JsonObject;
  /** Annotations as on the wire. Default: none, so the careful assumptions hold. */
  readonly annotations?: ToolAnnotations;
}

/** A client tool as the caller gives it to a conversation in this process. */
export interface ClientToolInput extends ClientToolSpec {
  /**
   * `caller`: a call stays open until `Conversation.answerCall`. Holds in this process, so it must be given again on resume.
   * Default: a call is acknowledged at once, and a subscriber carries it out.
   */
  readonly answers?: 'caller';
}

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

/** Returns the error of client tools that are too large together, with the way to mend it; `undefined` for tools that fit. */
export function oversizedClientTools(specs: readonly ClientToolSpec[]): string | undefined {
  const size = new TextEncoder().encode(JSON.stringify(specs)).length;
  if (size <= MAX_BYTES) return undefined;
  return `expected at most ${MAX_BYTES} bytes of JSON for all client tools together, found ${size}; shorten descriptions and parameters, or give fewer tools`;
}

/** Returns the spec in a value, without unknown members. Throws {@link ToolError} `INVALID_DEFINITION` that names the error. */
export function parseClientTool(value: unknown): ClientToolSpec {
  const read = specSchema.safeParse(value);
  if (read.success) return toSpec(read.data);
  const [issue] = read.error.issues;
  const where = issue?.path.join('.') || '(the spec)';
  throw invalidDefinition(`${where}: ${issue?.message}`, { cause: read.error });
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
