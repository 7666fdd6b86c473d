import { isObject } from '@conv/core/platform';
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { type MaskText, maskNothing } from '../base/mask-text.ts';
import type { OfferedTool } from './offered-tool.ts';

/**
 * Returns the tools in the form in which a model is offered them. Secrets in their texts are masked; their names stay.
 */
export function maskedDefinitions(
  tools: ReadonlyMap<string, OfferedTool>,
  mask: MaskText,
): readonly LanguageModelV4FunctionTool[] {
  const definitions = [...tools.values()].map(({ definition }) => definition);
  return mask === maskNothing ? definitions : definitions.map((definition) => masked(definition, mask));
}

/** Keywords of a schema whose texts are syntax; all other texts in it, such as defaults, are for models. */
const KEPT: ReadonlySet<string> = new Set(['name', 'type', '$ref', 'format', 'pattern', 'required']);

function masked<T>(value: T, mask: MaskText): T {
  if (typeof value === 'string') return mask(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => masked(item, mask)) as T;
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    // a parameter may have the name of a keyword
    const kept = KEPT.has(name) && (typeof member === 'string' || Array.isArray(member));
    return [name, kept ? member : masked(member, mask)];
  });
  return Object.fromEntries(members) as T;
}
