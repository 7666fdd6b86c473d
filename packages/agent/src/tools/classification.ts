import { type Event, isEvent } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import type { metaProfiles } from '@conv/openhands/descriptions';
import { type LlmMessage, textOf } from '@conv/openhands/messages';
import { plainMessage } from '../base/messages.ts';
import { tagged } from '../base/tagged.ts';
import { parseJson } from '../base/json.ts';
import type { z } from 'zod';

/** Rules that choose among model profiles. */
export type MetaProfile = z.output<typeof metaProfiles.schema>;

/** The most messages of the conversation that are classified, from its end. */
const MESSAGES = 6;

/** The most characters of an answer that are read. */
const MAX_ANSWER = 20_000;

/** The profile that a classification chose. */
export interface ChosenProfile {
  readonly profile: string;
  /** The description of the class, or `model: ` and the profile if the model named it. */
  readonly because: string;
}

/** Returns the last messages of a conversation as text. Calls and their results say little about the kind of a task. */
export function recentMessages(events: readonly Event[]): string {
  const said = events.flatMap((event) => {
    if (!isEvent(event, 'MessageEvent')) return [];
    const text = textOf(event).trim();
    return text === '' ? [] : [`${event.source}: ${text}`];
  });
  return said.slice(-MESSAGES).join('\n') || '(no messages yet)';
}

/** Returns the question to the model that classifies. */
export function classifierMessages(rules: MetaProfile, conversation: string): readonly LlmMessage[] {
  const { prompt_template: prompt } = rules;
  if (prompt === null) return [plainMessage('system', listOf(rules)), plainMessage('user', asked(conversation))];
  const values = { instance_text: conversation, model_table: rules.model_table ?? '' };
  const filled = prompt.replaceAll(
    /\{\{\s*(instance_text|model_table)\s*\}\}/g,
    (_, name: keyof typeof values) => values[name],
  );
  return [
    plainMessage('system', 'You choose the model that is to work on a task.'),
    plainMessage('user', filled.trim()),
  ];
}

function listOf({ classes }: MetaProfile): string {
  const listed = classes.map(({ description }, index) => `${index + 1}. ${description}`).join('\n');
  return `You sort tasks. Find the class that fits the present task of a conversation best. Answer with its number alone, or with 0 if none fits.

${listed}`;
}

function asked(conversation: string): string {
  return `${tagged('conversation', [conversation])}\n\nThe number of the class:`;
}

/**
 * Reads the answer of the model that classifies: the first number in it is that of a class. With a prompt of one's own it is JSON with a
 * `model`, or text with the name of a profile. Returns `undefined` if the answer chooses nothing, because nothing is guessed.
 *
 * @param profiles the names of all profiles
 */
export function readChoice(rules: MetaProfile, answer: string, profiles: readonly string[]): ChosenProfile | undefined {
  const text = answer.slice(0, MAX_ANSWER);
  if (rules.prompt_template === null) {
    const chosen = rules.classes[Number(/-?\d+/.exec(text)?.[0] ?? 0) - 1];
    return chosen && { profile: chosen.model, because: chosen.description };
  }
  const profile = namedIn(text, profiles);
  return profile === undefined ? undefined : { profile, because: `model: ${profile}` };
}

/** Returns the profile that an answer names, in the spelling of its name. A longer name goes before a shorter one in it. */
function namedIn(answer: string, profiles: readonly string[]): string | undefined {
  const [from, to] = [answer.indexOf('{'), answer.lastIndexOf('}')];
  const object = from === -1 ? undefined : parseJson(answer.slice(from, to + 1));
  const stated = isObject(object) ? object['model'] : undefined;
  if (typeof stated === 'string' && stated.trim() !== '')
    return profiles.find((name) => name.toLowerCase() === stated.trim().toLowerCase());
  const said = answer.toLowerCase();
  return profiles.toSorted((one, other) => other.length - one.length).find((name) => said.includes(name.toLowerCase()));
}
