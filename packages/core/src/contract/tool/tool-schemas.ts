/**
 * Checks values by schemas of tools, tells such schemas from other values, and says which names tools cannot have.
 *
 * @module
 */
export { parseInput } from './parse-input.ts';
export { isReservedToolName as isReservedName } from './tool-name.ts';
export { isToolSchema as is, runSchema as run } from './tool-schema.ts';
