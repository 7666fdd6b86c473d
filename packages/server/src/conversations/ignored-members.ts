import type { JsonObject } from '@conv/core';
import { conversationRoutes, ignoredMembers } from '@conv/openhands/rest';

/** The member of a conversation's metadata that names unknown members of the request which made it. */
export const IGNORED_MEMBERS = 'ignored_members';

/** A request of a later version has a few unknown members, and their places are short. */
const MOST_MEMBERS = 50;
const LONGEST_PLACE = 200;

/** Returns the metadata that names unknown members of a request to start a conversation; empty if there are none. */
export function ignoredMembersOf(asSent: JsonObject): JsonObject {
  const { body } = conversationRoutes.start;
  const places = body ? ignoredMembers(body, asSent) : [];
  const shown = places.slice(0, MOST_MEMBERS).map((place) => place.slice(0, LONGEST_PLACE));
  return shown.length === 0 ? {} : { [IGNORED_MEMBERS]: shown };
}
