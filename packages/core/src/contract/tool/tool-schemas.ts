/**
 * Checks values by schemas of tools, and tells such schemas from other values.
 *
 * @module
 */
export { parseInput } from './parse-input.ts';
export { isToolSchema as is, runSchema as run } from './tool-schema.ts';
