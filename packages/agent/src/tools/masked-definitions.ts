import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { mapTexts } from '../base/json.ts';
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
  return mask === maskNothing
    ? definitions
    : definitions.map((definition) => mapTexts(definition, mask, undefined, isSyntax));
}

/** Keywords of a schema whose texts are syntax; all other texts in it, such as defaults, are for models. */
const KEPT: ReadonlySet<string> = new Set(['name', 'type', '$ref', 'format', 'pattern', 'required']);

/** True for a keyword whose text is syntax. A parameter may have the name of a keyword, so its value is looked at. */
function isSyntax(name: string, member: unknown): boolean {
  return KEPT.has(name) && (typeof member === 'string' || Array.isArray(member));
}
