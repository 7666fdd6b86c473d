/**
 * Push notifications of A2A tasks, for `createA2AHandler` of `@conv/a2a`: sent in order, again until they are taken, and to no private address.
 *
 * @packageDocumentation
 */
export { TaskNotifications, type PushConfigs, type TaskNotificationsOptions } from './task-notifications.ts';
