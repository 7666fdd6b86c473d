/**
 * Text of others for a terminal: nothing in it is obeyed, and nothing is hidden.
 *
 * @packageDocumentation
 */
export { plainJson, plainLine, plainText, visibleText } from './plain-text.ts';
