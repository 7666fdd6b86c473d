/**
 * Rules that choose among model profiles, which OpenHands calls meta-profiles.
 *
 * @module
 */
export { metaProfileSchema as schema, routeTaskParamsSchema as paramsSchema } from './meta-profile.ts';
