/**
 * Studio: conversations in the browser, from a store or from a server.
 *
 * @packageDocumentation
 */
export { StudioError } from './server/place.ts';
export type { KeySource } from './server/server-key.ts';
export { type RunningStudio, startStudio } from './server/start-studio.ts';
export type { StudioOptions } from './server/studio-options.ts';
export { studioFolder } from './studio-folder.ts';
