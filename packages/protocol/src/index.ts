/**
 * What an agent server and its clients say to each other.
 *
 * @packageDocumentation
 */
export type { Bytes, Route, RouteAuth, RouteInput } from './route.ts';
