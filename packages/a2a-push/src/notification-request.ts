import { A2A_CONTENT_TYPE, StreamResponse, TaskPushNotificationConfig } from '@a2a-js/sdk';
import type { JsonObject } from '@conv/core';

/** The request that brings a notification to a receiver, by POST. */
export interface NotificationRequest {
  readonly url: string;
  /** The keys of the receiver. */
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: string;
}

/** Returns the request that brings a notification to the receiver of a configuration, which may be one of `configsIn`. */
export function notificationRequest(
  config: TaskPushNotificationConfig | JsonObject,
  notification: StreamResponse,
): NotificationRequest {
  const { url, token, authentication } = TaskPushNotificationConfig.fromJSON(config);
  const headers = {
    ...(authentication ? { authorization: `${authentication.scheme} ${authentication.credentials}` } : {}),
    ...(token === '' ? {} : { 'x-a2a-notification-token': token }),
  };
  return { url, headers, contentType: A2A_CONTENT_TYPE, body: JSON.stringify(StreamResponse.toJSON(notification)) };
}
