import { isObject, jsonOf, type JsonObject } from './json.ts';
import type { OfferedTool, RequestedCall } from './model-request.ts';
import { ensure } from './rules.ts';

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Checks the name of a tool, offered or called. */
function checkToolName(name: unknown, param: string): string {
  ensure(typeof name === 'string', 'tool-name', param, 'must be a string');
  ensure(toolName.test(name), 'tool-name', param, `'${name}' does not match ${toolName.source}`);
  return name;
}

/** Checks the name and the argument text of a call in the history. */
export function checkCall(id: unknown, name: unknown, args: unknown, idParam: string, param: string): RequestedCall {
  ensure(typeof id === 'string' && id !== '', 'tool-call-id', idParam, 'must be a non-empty string');
  ensure(typeof args === 'string', 'tool-call-arguments', `${param}.arguments`, 'must be a string');
  ensure(jsonOf(args) !== undefined, 'tool-call-arguments', `${param}.arguments`, 'must hold JSON');
  return { id, name: checkToolName(name, `${param}.name`), arguments: args };
}

/** Checks `tools`; `definitionOf` finds name, description and schema in one entry, or nothing for a built-in tool. */
export function checkTools(
  tools: unknown,
  definitionOf: (tool: JsonObject, param: string) => ToolDefinition | undefined,
): OfferedTool[] {
  if (tools === undefined || tools === null) return [];
  ensure(Array.isArray(tools) && tools.length > 0, 'tools', 'tools', 'must be a non-empty array when present');
  const offered = tools.flatMap((tool: unknown, index) => {
    ensure(isObject(tool), 'tools', `tools[${index}]`, 'must be an object');
    const definition = definitionOf(tool, `tools[${index}]`);
    return definition === undefined ? [] : [checkDefinition(definition)];
  });
  const names = offered.map((tool) => tool.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  ensure(twice === undefined, 'tools', 'tools', `'${twice}' is defined twice`);
  return offered;
}

/** An entry of `tools`, wherever the endpoint keeps its members. */
export interface ToolDefinition {
  readonly name: unknown;
  readonly description: unknown;
  readonly parameters: unknown;
  readonly param: string;
  readonly schemaMember: 'parameters' | 'input_schema';
}

function checkDefinition(definition: ToolDefinition): OfferedTool {
  const { description, parameters, param, schemaMember } = definition;
  const name = checkToolName(definition.name, `${param}.name`);
  const place = `${param}.${schemaMember}`;
  ensure(isObject(parameters), 'tool-parameters', place, `the tool '${name}' needs a JSON schema`);
  ensure(parameters['type'] === 'object', 'tool-parameters', place, `the schema of '${name}' must have type 'object'`);
  const { properties } = parameters;
  ensure(properties === undefined || isObject(properties), 'tool-parameters', place, 'properties must be an object');
  return { name, parameters, ...(typeof description === 'string' ? { description } : {}) };
}

/** Checks that a choice is made among offered tools only. `name` is the tool a choice insists on, if it does. */
export function checkToolChoice(choice: unknown, name: unknown, tools: unknown, offered: readonly OfferedTool[]): void {
  if (choice === undefined || choice === null) return;
  ensure(Array.isArray(tools), 'tool-choice', 'tool_choice', 'is only allowed together with tools');
  if (typeof choice === 'string') {
    const known = ['auto', 'none', 'required'].includes(choice);
    ensure(known, 'tool-choice', 'tool_choice', `'${choice}' is not one of: auto, none, required`);
    return;
  }
  ensure(isObject(choice), 'tool-choice', 'tool_choice', 'must be a string or an object');
  if (name === undefined) return;
  const exists = offered.some((tool) => tool.name === name);
  ensure(exists, 'tool-choice', 'tool_choice', `the tool ${JSON.stringify(name)} is not among the tools`);
}
