/** Tags that divide the prompt. In a text from elsewhere they would end a block or begin another. */
const OWN_TAGS = /<(?=\/?(?:custom_secrets|skills?|available_skills|memory(?:_context)?)\b)/gi;

/** Returns the text without tags that divide the prompt. */
export function inert(text: string): string {
  return text.replaceAll(OWN_TAGS, '&lt;');
}

/** Returns the text as one line of a list. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
