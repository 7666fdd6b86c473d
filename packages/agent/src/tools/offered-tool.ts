import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { JsonObject } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import type { JSONSchema7 } from 'json-schema';
import { toolSchemas, type Tool } from '@conv/core/tool';
import { plainSchema } from './plain-schema.ts';

/** A tool in the form in which the model sees it. */
export interface OfferedTool {
  readonly tool: Tool;
  readonly definition: LanguageModelV4FunctionTool;
  /** The input schema in plain form, without the parameters that are added for the model. */
  readonly schema: JsonObject;
  /** The names among `security_risk` and `summary` that are parameters of the tool itself. */
  readonly own: ReadonlySet<string>;
  /** True if the model is asked how dangerous a call is. */
  readonly asksRisk: boolean;
}

const SECURITY_RISK = {
  type: 'string',
  description: 'How dangerous this call is, in your judgement.',
  enum: ['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH'],
};

const SUMMARY = { type: 'string', description: 'What this call does, in about ten words, for the people who watch.' };

/**
 * Adds the parameters that tools have for the model, first, so that they are decided first. The risk is asked of every tool but the
 * built-in `finish` and `think`: what a tool says of itself proves nothing.
 */
export function offerTool(tool: Tool): OfferedTool {
  const schema = plainSchema(tool.inputSchema);
  const properties = isObject(schema['properties']) ? (schema['properties'] as JsonObject) : {};
  const own = new Set(['security_risk', 'summary'].filter((name) => Object.hasOwn(properties, name)));
  const asksRisk = !toolSchemas.isReservedName(tool.name) && !own.has('security_risk');
  const inputSchema = {
    ...schema,
    properties: {
      ...(asksRisk ? { security_risk: SECURITY_RISK } : {}),
      ...(own.has('summary') ? {} : { summary: SUMMARY }),
      ...properties,
    },
  };
  return {
    tool,
    definition: {
      type: 'function',
      name: tool.name,
      description: tool.description,
      inputSchema: inputSchema as JSONSchema7,
    },
    schema,
    own,
    asksRisk,
  };
}
