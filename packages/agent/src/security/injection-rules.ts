import type { Finding } from './facts/findings.ts';

/** A finding about a text in any language. Its pattern runs in linear time. */
interface TextRule extends Finding {
  readonly pattern: RegExp;
}

function textRule(id: string, risk: Finding['risk'], reason: string, pattern: RegExp): TextRule {
  return { id, risk, reason, pattern };
}

/**
 * Rules about prompt injection, for all text that the model wrote, because a model repeats planted texts when it falls for them.
 */
const injectionRules: readonly TextRule[] = [
  textRule(
    'override-instructions',
    'HIGH',
    'Says that earlier instructions no longer count, as planted texts do.',
    /(?<!\b(?:not|don't|never|dont)\s)\b(?:ignore|disregard|forget|override|bypass|do not follow|stop following)\b\s(?:\w{1,12}\s){0,3}(?:previous|prior|above|earlier|preceding|system|original|former)\s(?:\w{1,12}\s){0,2}(?:instruction|prompt|rule|directive|guideline|polic)/i,
  ),
  textRule(
    'hide-from-user',
    'HIGH',
    'Speaks of doing something without the user knowing, as planted texts do.',
    /\b(?:do not|don'?t|never|without)\s(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|mention(?:ing)?\s(?:\w{1,10}\s){1,3}to|reveal(?:ing)?\s(?:\w{1,10}\s){1,3}to|alert(?:ing)?)\s(?:the\s)?(?:user|human|operator|owner)\b/i,
  ),
  textRule(
    'new-role',
    'MEDIUM',
    'Speaks of a new role without rules, as planted texts do.',
    /\byou are now\s(?:\w{1,12}\s){0,4}(?:mode|unrestricted|unfiltered|jailbroken|free)\b|\b(?:developer|god|dan|jailbreak|admin|debug) mode (?:enabled|activated|on)\b|\b(?:pretend|act)\s(?:you are|to be|as if you|as)\s(?:\w{1,12}\s){0,4}(?:different|unrestricted|no (?:rules|limits|restrictions)|without (?:rules|limits|restrictions))\b/i,
  ),
  textRule(
    'false-system',
    'MEDIUM',
    'Pretends to be a message of the system, as planted texts do.',
    /<\|?(?:im_start|system|end_of_turn|start_header_id)\|?>|\[\/?(?:inst|system)\]|^\s{0,8}(?:###\s)?(?:new|updated|important) (?:system )?instructions?\s?:|\bsystem (?:prompt )?override\b/im,
  ),
  textRule(
    'reveal-prompt',
    'MEDIUM',
    'Asks for the hidden instructions of the model.',
    /\b(?:reveal|print|show|output|repeat|leak|send)\b\s(?:\w{1,12}\s){0,3}(?:your|the)\s(?:\w{1,12}\s){0,2}(?:system prompt|hidden instructions|initial instructions)\b/i,
  ),
];

/** Matches a word that every rule needs. */
const NEEDED =
  /ignore|disregard|forget|override|bypass|follow|tell|inform|notify|mention|reveal|alert|you are now|mode |pretend|act\s|im_start|system|end_of_turn|start_header|inst\]|instruction|prompt/i;

/** Returns the findings about planted instructions in these texts. */
export function injectionsIn(texts: readonly string[]): readonly Finding[] {
  const some: string[] = [];
  for (const text of texts) if (text.length > 20 && NEEDED.test(text)) some.push(text);
  return some.length === 0 ? [] : injectionRules.filter(({ pattern }) => some.some((text) => pattern.test(text)));
}
