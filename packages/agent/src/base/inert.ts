/** Tags that the prompt is divided by: in a text of others they would end a block, or begin another. */
const OWN_TAGS = /<(?=\/?(?:custom_secrets|skills?|available_skills|memory(?:_context)?)\b)/gi;

/** The text without tags that the prompt is divided by. */
export function inert(text: string): string {
  return text.replaceAll(OWN_TAGS, '&lt;');
}

/** The text in one line of a list. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
