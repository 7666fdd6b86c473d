import type { JsonObject } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import { type ResponseTool, responseTool } from '../tools/response-tool.ts';

/** The wire's name of the schema among a tool's parameters. */
export const RESPONSE_SCHEMA = 'response_schema';

/** A finish tool that a description lists as a tool of its own. */
export interface StoredResponse {
  /** The tool with its schema; absent where it is listed without a schema. */
  readonly tool: ResponseTool | undefined;
}

/** True if an entry of a description's tools is the finish tool. */
export function isStoredFinish(entry: unknown): entry is { readonly params?: unknown } {
  return isObject(entry) && entry['name'] === 'FinishTool';
}

/** Returns the finish tool that a description lists, if any. Throws {@link AgentError} `INVALID_DESCRIPTION`. */
export function storedResponse({ tools }: JsonObject): StoredResponse | undefined {
  const listed: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const entry = listed.find(isStoredFinish);
  if (entry === undefined) return undefined;
  const schema = isObject(entry.params) ? (entry.params[RESPONSE_SCHEMA] ?? undefined) : undefined;
  if (schema === undefined) return { tool: undefined };
  const what = `the stored agent's ${RESPONSE_SCHEMA}`;
  return { tool: responseTool(schema as JsonObject, 'INVALID_DESCRIPTION', what) };
}
