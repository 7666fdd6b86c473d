/**
 * Push notifications of A2A tasks, for `createA2AHandler` of `@conv/a2a`: sent in order, up to six times each, and to no private address.
 *
 * @packageDocumentation
 */
export { TaskNotifications, type PushConfigs, type TaskNotificationsOptions } from './task-notifications.ts';
