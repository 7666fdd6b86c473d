import { z } from 'zod';

import { terminalInputSchema } from './terminal-input.ts';

const text = z.string();
/** Bytes in base 64. */
const bytes = z.base64();
/** The SHA-256 of the content that a file must still have. */
const hash = text;

/** Requests that a file editor makes of an executor. */
const fileRequest = z.discriminatedUnion('act', [
  z.strictObject({
    tool: z.literal('files'),
    act: z.literal('open'),
    path: text,
    access: z.enum(['read', 'write']),
    maxSize: z.nullable(z.number()),
  }),
  z.strictObject({ tool: z.literal('files'), act: z.literal('create'), path: text, bytes }),
  z.strictObject({ tool: z.literal('files'), act: z.literal('replace'), path: text, hash, bytes }),
  z.strictObject({ tool: z.literal('files'), act: z.literal('remove'), path: text, hash }),
  z.strictObject({ tool: z.literal('files'), act: z.literal('list'), path: text }),
  z.strictObject({ tool: z.literal('files'), act: z.literal('describe'), path: text }),
  z.strictObject({ tool: z.literal('files'), act: z.literal('isTaken'), path: text }),
]);

/** A call of a terminal. */
const terminalRequest = z.strictObject({
  tool: z.literal('terminal'),
  input: terminalInputSchema,
  /** The secrets that the command names. */
  secrets: z.record(text, text),
  /** Time limits in seconds, which count when the shell of the conversation is made. */
  limits: z.strictObject({ noOutputTimeout: z.optional(z.number()), maxTimeout: z.optional(z.number()) }),
});

/** Requests of tools, as they are made of an executor. */
export const requestSchema = z.discriminatedUnion('tool', [terminalRequest, fileRequest]);

export type FileRequest = z.infer<typeof fileRequest>;
export type TerminalRequest = z.infer<typeof terminalRequest>;

const failure = z.object({
  /** `refused`: the words are for the model. `changed`: another program changed the file. `system`: a code of the file system. */
  failure: z.enum(['refused', 'changed', 'system']),
  message: text,
});

/** Answers to requests about files. */
export const fileAnswers = {
  open: z.union([failure, z.object({ file: z.nullable(z.object({ realPath: text, bytes })) })]),
  create: z.union([failure, z.object({ realPath: text })]),
  done: z.union([failure, z.object({ done: z.literal(true) })]),
  list: z.union([failure, z.object({ entries: z.array(z.object({ name: text, isFolder: z.boolean() })) })]),
  describe: z.union([
    failure,
    z.object({
      entries: z.array(
        z.object({
          name: text,
          isFolder: z.boolean(),
          leadsToFolder: z.boolean(),
          leadsToFile: z.boolean(),
          size: z.number(),
          modified: z.number(),
        }),
      ),
    }),
  ]),
  isTaken: z.union([failure, z.object({ isTaken: z.boolean() })]),
} as const;

export type Failure = z.infer<typeof failure>;

/**
 * The answer to a call of a terminal. An executor may be in other hands, so the result has the members of a terminal's observation and
 * no others: none may replace another, or make an event that cannot be read.
 */
export const terminalAnswer = z.object({
  /** True if the executor had no shell of this conversation, and made one. */
  isNew: z.boolean(),
  content: z.array(z.object({ type: z.literal('text'), text, cache_prompt: z.boolean() })),
  isError: z.boolean(),
  fields: z.object({
    command: text,
    exit_code: z.int(),
    timeout: z.boolean(),
    metadata: z.object({
      exit_code: z.int(),
      pid: z.int(),
      username: text,
      hostname: text,
      working_dir: text,
      py_interpreter_path: z.exactOptional(text),
      prefix: text,
      suffix: text,
    }),
    full_output_save_dir: z.exactOptional(text),
  }),
});

export type TerminalAnswer = z.infer<typeof terminalAnswer>;
