import { SECRET_MASK } from '@conv/core';
import { toolWires, text, type JsonObject, type Tool, type ToolContext, type ToolResult } from '@conv/core/tool';
import { expandReferences, referencesIn } from '@conv/openhands/references';
import type { Progress } from '@modelcontextprotocol/client';

import type { ArgumentSchema } from './argument-schema.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { ListedTool } from './list-tools.ts';
import { progressText } from './progress-text.ts';
import type { ServerConnection } from './server-connection.ts';
import { taskIn } from './server-tasks.ts';
import { toolContent } from './tool-content.ts';

/** Makes the agent's tool of a server's tool. */
export function mcpTool(listed: ListedTool, name: string, schema: ArgumentSchema, server: ServerConnection): Tool {
  const { title, annotations = {} } = listed;
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  const shownTitle = annotations.title ?? title;
  const about = {
    name,
    description: listed.description ?? shownTitle ?? `The tool ${listed.name} of the server ${server.options.name}.`,
    inputSchema: listed.inputSchema,
    annotations: {
      ...(shownTitle === undefined ? {} : { title: shownTitle }),
      ...(readOnlyHint === undefined ? {} : { readOnly: readOnlyHint }),
      ...(destructiveHint === undefined ? {} : { destructive: destructiveHint }),
      ...(idempotentHint === undefined ? {} : { idempotent: idempotentHint }),
      ...(openWorldHint === undefined ? {} : { openWorld: openWorldHint }),
    },
  };
  return {
    ...about,
    wire: toolWires.mcp(about),
    parse: (input) => schema.parse(input),
    resources: () => (readOnlyHint === true ? [] : undefined),
    execute: async (input, context) => {
      context.signal.throwIfAborted();
      const mask = (said: string): string => server.hideTokens(context.secrets?.masker.mask(said) ?? said);
      const { onOutput } = context;
      const shown = {
        context,
        onProgress: onOutput && ((progress: Progress): void => onOutput(mask(progressText(progress)))),
        onStatus: onOutput && ((text: string): void => onOutput(mask(text))),
      };
      const task = taskIn(context.handles?.get(context.toolCallId));
      if (task) return toResult(await server.resume(task, shown), server, mask);
      const expanded = await withSecrets(input as JsonObject, context, readOnlyHint === true);
      if ('refusal' in expanded) return failed(mask(expanded.refusal));
      if (expanded.isOther) schema.check(expanded.input);
      const outcome = await server.call(listed, expanded.input, shown);
      return toResult(outcome, server, mask);
    },
  };
}

type Expanded = { readonly input: JsonObject; readonly isOther: boolean } | { readonly refusal: string };

// the values go into the request alone: the action keeps the names
async function withSecrets(
  input: JsonObject,
  { secrets, signal }: ToolContext,
  isReadOnly: boolean,
): Promise<Expanded> {
  if (!secrets) return { input, isOther: false };
  if (!isReadOnly && secrets.masker.version > 0 && JSON.stringify(input).includes(SECRET_MASK))
    return {
      refusal: `Not called: the arguments hold ${SECRET_MASK}, which only replaces a hidden value. Write $ and the name of the secret instead.`,
    };
  const names = new Set(referencesIn(input).map(({ name }) => name));
  if (names.size === 0) return { input, isOther: false };
  const { environment, missing } = await secrets.environmentFor([...names].join(' '), signal);
  const wanting = missing.filter(({ name }) => names.has(name));
  if (wanting.length > 0) return { refusal: `Not called: ${wanting.map(noteOf).join(' ')}` };
  return { input: expandReferences(input, { values: environment }), isOther: Object.keys(environment).length > 0 };
}

function noteOf({ name, reason }: { readonly name: string; readonly reason: string }): string {
  return `The secret ${name} has no value here: ${reason.replace(/\.$/, '')}.`;
}

function toResult(outcome: CallOutcome, { options }: ServerConnection, mask: (said: string) => string): ToolResult {
  const server = `The MCP server ${options.name}`;
  switch (outcome.kind) {
    case 'result': {
      const { result } = outcome;
      return { content: toolContent(result, mask), ...(result.isError === true ? { isError: true } : {}) };
    }
    case 'timeout':
      return failed(
        `${server} did not answer within ${options.callTimeout / 1000} s, and was told to stop. What it did until then is not known.`,
      );
    case 'lost':
      return failed(mask(`${server} did not answer: ${outcome.reason}. What it did until then is not known.`));
    case 'refused':
      return failed(mask(`${server} cannot be used now: ${outcome.reason}. Nothing was done.`));
    case 'answered':
      return failed(mask(`${server} did not do it: ${outcome.reason}`));
  }
}

function failed(reason: string): ToolResult {
  return { content: text(reason), isError: true };
}
