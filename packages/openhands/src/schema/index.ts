/** The schemas that descriptions, routes and frames are made of. */
export { localDateTime, utcDateTime } from './date-time.ts';
export { absent, orAbsent } from './kept-member.ts';
export { documentation, documented, named, OURS } from './named.ts';
export {
  bodyOr,
  closedRequest,
  described,
  kept,
  keptAs,
  openRequestAs,
  orNull,
  request,
  requestAs,
} from './objects.ts';
export { oneOf } from './one-of.ts';
export { type Page, pageOf } from './page.ts';
export { boolean, integer, jsonObject, jsonValue, number } from './scalars.ts';
export { successSchema } from './success.ts';
export { ignoredMembers, membersLike, misspeltMembers } from './unknown-members.ts';
export { uuid, uuidKey } from './uuid.ts';
