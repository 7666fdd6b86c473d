import type { SecretDescription } from '@conv/core';
import { type Event, isEvent, textContent } from '@conv/core/events';
import { type MaskText, truncateMasked } from '../base/mask-text.ts';

/** Matches the block. It has the same name in logs of OpenHands, so that their block is replaced as well. */
const BLOCK = /\n*<CUSTOM_SECRETS>[^]*<\/CUSTOM_SECRETS>/;

const MAX_DESCRIPTION = 300;

/** Returns the text that tells the model of secrets; empty if there are no secrets. */
export function secretsBlock(secrets: readonly SecretDescription[], mask: MaskText): string {
  if (secrets.length === 0) return '';
  const lines = secrets.map(({ name, description }) => {
    const about = oneLine(description ?? '', mask);
    return about === '' ? `- $${name}` : `- $${name}: ${about}`;
  });
  return `<CUSTOM_SECRETS>
You may use these secrets without ever seeing them. Write the name as a variable in a command, as in \`curl -H "Authorization: Bearer $NAME" …\`: that one command gets the value in its environment, and nothing else does. In all that you read the value is replaced by <secret-hidden>. Do not ask for a value, do not print, encode or store it, and do not write it into files; name the variable again in each command that needs it.

${lines.join('\n')}
</CUSTOM_SECRETS>`;
}

/** Returns a description as one line of the list, because a person or another program wrote it. */
function oneLine(description: string, mask: MaskText): string {
  const line = mask(description)
    .replaceAll(/[<>]/g, '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return truncateMasked(line, MAX_DESCRIPTION, mask, '…');
}

/**
 * Returns the context of a conversation with this block in place of its present block, or at its end if it has none.
 */
export function withSecretsBlock(context: string, block: string): string {
  const found = BLOCK.exec(context);
  if (found === null) return block === '' ? context : `${context}${context === '' ? '' : '\n\n'}${block}`;
  const before = context.slice(0, found.index);
  const after = context.slice(found.index + found[0].length);
  return `${before}${block === '' || before === '' ? '' : '\n\n'}${block}${after}`;
}

/**
 * Returns the view with the present secrets. Secrets come and go, while the system prompt that named the first of them
 * stays stored. Returns the same array if the prompt names the present secrets already.
 */
export function withCurrentSecrets(
  view: readonly Event[],
  secrets: readonly SecretDescription[],
  mask: MaskText,
): readonly Event[] {
  const at = view.findIndex((event) => isEvent(event, 'SystemPromptEvent'));
  const event = view[at];
  if (event === undefined || !isEvent(event, 'SystemPromptEvent')) return view;
  const before = event.dynamic_context?.text ?? '';
  const text = withSecretsBlock(before, secretsBlock(secrets, mask));
  if (text === before) return view;
  const { dynamic_context: _, ...rest } = event;
  const current: Event = text === '' ? rest : { ...rest, dynamic_context: textContent(text) };
  return view.with(at, current);
}
