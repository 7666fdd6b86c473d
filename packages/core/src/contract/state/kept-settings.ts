/**
 * Takes over the JSON of a setting that another program may have written. It is kept as it is.
 *
 * @module
 */
export { storedHooks as hooks } from './hook-config.ts';
export { storedAnalyzer as analyzer } from './stored-analyzer.ts';
export { storedPolicy as policy } from './stored-policy.ts';
