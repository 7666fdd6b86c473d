import { isDeepStrictEqual } from 'node:util';

import { wrongValue, type Agent, type ConversationState, type StateFields } from '@conv/core';
import {
  checkFreeToolName,
  clientTool,
  isToolError,
  parseClientTool,
  type ClientToolInput,
  type ClientToolSpec,
} from '@conv/core/tool';

import { invalid } from './check-settings.ts';

/** Bytes of JSON that all client tools of a conversation may have: with others they stand in one event. */
const MAX_BYTES = 256 * 1024;

/** What is asked of an agent whose conversation has client tools. */
type Named = Pick<Agent, 'toolNames'>;

/**
 * The specs that a caller gave, when tools can be made of them; throws `INVALID_INPUT` naming the one that is wrong, also one
 * with the name of another, of a tool that the agent has, or of a built-in one that it lacks.
 */
export function checkClientTools(given: readonly ClientToolInput[], agent?: Named): readonly ClientToolSpec[] {
  if (!Array.isArray(given))
    throw invalid(wrongValue('clientTools', 'a list such as [{ name, description, parameters }]', given));
  const specs = given.map(checkOne);
  checkNames(specs, agent);
  return specs;
}

/**
 * The client tools of a conversation that has some and is given some: those that it has stay, new ones come behind them. What is
 * given again may say other words. Throws `INVALID_INPUT` for a name that it has with other parameters: calls on record were made
 * by those.
 */
export function joinClientTools(
  { fields, mask }: Pick<ConversationState, 'fields' | 'mask'>,
  given: readonly ClientToolSpec[] = [],
  agent: Named,
): Pick<StateFields, 'clientTools'> {
  const { clientTools: stored } = fields;
  // what is stored is masked
  const { set: { clientTools: asStored = [] } = {} } = mask.patch({ set: { clientTools: given } });
  const again = new Map(asStored.map((spec) => [spec.name, spec]));
  const kept = stored.map((spec) => {
    const same = again.get(spec.name) ?? spec;
    if (!isDeepStrictEqual(same.parameters, spec.parameters))
      throw invalid(`clientTools: ${quoted(spec.name)} has other parameters in the conversation`);
    return same;
  });
  const names = new Set(stored.map(({ name }) => name));
  const clientTools = [...kept, ...asStored.filter(({ name }) => !names.has(name))];
  checkNames(clientTools, agent);
  return { clientTools };
}

/** The names of those whose calls the caller answers. */
export function answeredByCaller(given: readonly ClientToolInput[] = []): ReadonlySet<string> {
  return new Set(given.filter(({ answers }) => answers === 'caller').map(({ name }) => name));
}

function checkOne(given: ClientToolInput, at: number): ClientToolSpec {
  if (typeof given === 'object' && given !== null && 'execute' in given)
    throw invalid(
      `clientTools.${at}: expected a description with parameters, found a tool with execute; give it to createAgent({ tools })`,
    );
  try {
    const spec = parseClientTool(given);
    checkFreeToolName(spec.name);
    clientTool(spec);
    const { answers } = given;
    if (answers !== undefined && answers !== 'caller') throw invalid(`clientTools.${at}: answers must be 'caller'`);
    return spec;
  } catch (error) {
    if (!isToolError(error)) throw error;
    throw invalid(`clientTools.${at}: ${error.message}`);
  }
}

function checkNames(specs: readonly ClientToolSpec[], agent: Named | undefined): void {
  const taken = new Set(agent?.toolNames);
  for (const { name } of specs) {
    if (taken.has(name)) throw invalid(`clientTools: there is another tool ${quoted(name)}`);
    taken.add(name);
  }
  const size = Buffer.byteLength(JSON.stringify(specs));
  if (size > MAX_BYTES) throw invalid(`clientTools: they have ${size} bytes, more than the ${MAX_BYTES} that can be`);
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
