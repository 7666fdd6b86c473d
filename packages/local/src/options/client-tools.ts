import { isDeepStrictEqual } from 'node:util';

import { checks, type Agent, type ConversationState, type StateFields } from '@conv/core';
import { isToolError, type ClientToolInput, type ClientToolSpec } from '@conv/core/tool';
import { clientTool, oversizedClientTools, parseClientTool } from '@conv/openhands/client-tools';

/** The part of an agent that a conversation with client tools needs. */
type Named = Pick<Agent, 'toolNames'>;

/**
 * Returns the specs that a caller gave, if tools can be made of them. Throws `INVALID_INPUT` that names the wrong spec. A spec
 * must not have the name of another spec, of the agent's tool, or of a built-in tool that the agent lacks.
 */
export function checkClientTools(given: readonly ClientToolInput[], agent?: Named): readonly ClientToolSpec[] {
  if (!Array.isArray(given))
    throw checks.invalid(checks.wrongValue('clientTools', 'a list such as [{ name, description, parameters }]', given));
  const specs = given.map(checkOne);
  checkNames(specs, agent);
  return specs;
}

/**
 * Returns the stored client tools followed by the new ones. A stored tool that is given again may have another description.
 * Throws `INVALID_INPUT` if its parameters differ, because the calls in the log were made with the stored parameters.
 */
export function joinClientTools(
  { fields, mask }: Pick<ConversationState, 'fields' | 'mask'>,
  given: readonly ClientToolSpec[] = [],
  agent: Named,
): Pick<StateFields, 'clientTools'> {
  const { clientTools: stored } = fields;
  // compare masked specs, because the stored specs are masked
  const { set: { clientTools: asStored = [] } = {} } = mask.patch({ set: { clientTools: given } });
  const again = new Map(asStored.map((spec) => [spec.name, spec]));
  const kept = stored.map((spec) => {
    const same = again.get(spec.name) ?? spec;
    if (!isDeepStrictEqual(same.parameters, spec.parameters))
      throw checks.invalid(
        `clientTools: ${quoted(spec.name)} was declared with other parameters in this conversation; give it a new name`,
      );
    return same;
  });
  const names = new Set(stored.map(({ name }) => name));
  const clientTools = [...kept, ...asStored.filter(({ name }) => !names.has(name))];
  checkNames(clientTools, agent);
  return { clientTools };
}

/** The same for all conversations without client tools, which are many. */
const NO_NAMES: ReadonlySet<string> = new Set();

/** Returns the names of the tools whose calls the caller answers. */
export function answeredByCaller(given: readonly ClientToolInput[] = []): ReadonlySet<string> {
  if (given.length === 0) return NO_NAMES;
  return new Set(given.filter(({ answers }) => answers === 'caller').map(({ name }) => name));
}

function checkOne(given: ClientToolInput, at: number): ClientToolSpec {
  if (typeof given === 'object' && given !== null && 'execute' in given)
    throw checks.invalid(
      `clientTools.${at}: expected a description with parameters, found a tool with execute; give it to createAgent({ tools })`,
    );
  try {
    const spec = parseClientTool(given);
    checks.freeToolName(spec.name);
    clientTool(spec);
    const { answers } = given;
    if (answers !== undefined && answers !== 'caller')
      throw checks.invalid(`clientTools.${at}: answers: expected 'caller' or nothing`);
    return spec;
  } catch (error) {
    if (!isToolError(error)) throw error;
    throw checks.invalid(`clientTools.${at}: ${error.message}`);
  }
}

function checkNames(specs: readonly ClientToolSpec[], agent: Named | undefined): void {
  const taken = new Set(agent?.toolNames);
  for (const { name } of specs) {
    if (taken.has(name)) throw checks.invalid(`clientTools: there is another tool ${quoted(name)}; rename one of them`);
    taken.add(name);
  }
  const oversized = oversizedClientTools(specs);
  if (oversized !== undefined) throw checks.invalid(`clientTools: ${oversized}`);
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
