/**
 * Push notifications of A2A tasks, for `createA2AHandler` of `@conv/a2a`: sent in order, up to six times each, and to no private address; or kept for a
 * host that sends them itself.
 *
 * @packageDocumentation
 */
export { nextNotification, type TaskNotification, type TaskReading, type ToldOfTask } from './next-notification.ts';
export { notificationRequest, type NotificationRequest } from './notification-request.ts';
export { configsIn, type ConfigRecords, type PushConfigs } from './push-configs.ts';
export { TaskNotifications, type TaskNotificationsOptions } from './task-notifications.ts';
export { TaskReceivers, type TaskReceiversOptions } from './task-receivers.ts';
