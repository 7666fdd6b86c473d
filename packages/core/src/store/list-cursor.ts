/**
 * Writes the place where a page of a list ends as the text that callers hand back, and reads it.
 *
 * @module
 */
export { parseListCursor as parse, toListCursor as toText } from './list-page.ts';
