/**
 * Text from untrusted sources for a terminal: it cannot control the terminal, and hides nothing.
 *
 * @packageDocumentation
 */
export { plainJson, plainLine, plainText, visibleText } from './plain-text.ts';
