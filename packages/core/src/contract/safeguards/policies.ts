/**
 * Reads stored policies, and decides by them.
 *
 * @module
 */
export {
  isPolicyActive as isActive,
  needsConfirmation,
  readPolicy as read,
  stricterPolicy as stricter,
} from './confirmation-policy.ts';
