import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { isObject } from '../json.ts';
import { type MaskText, maskNothing } from '../mask-text.ts';
import type { OfferedTool } from './offered-tool.ts';

/** The tools as a model is offered them. What their descriptions hold of secrets is masked; names and schemas are theirs. */
export function maskedDefinitions(
  tools: ReadonlyMap<string, OfferedTool>,
  mask: MaskText,
): readonly LanguageModelV4FunctionTool[] {
  const definitions = [...tools.values()].map(({ definition }) => definition);
  return mask === maskNothing ? definitions : definitions.map((definition) => masked(definition, mask));
}

function masked<T>(value: T, mask: MaskText): T {
  if (Array.isArray(value)) return value.map((item: unknown) => masked(item, mask)) as T;
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    name === 'description' && typeof member === 'string' ? mask(member) : masked(member, mask),
  ]);
  return Object.fromEntries(members) as T;
}
