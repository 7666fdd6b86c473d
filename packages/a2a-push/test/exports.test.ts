import { expect, test } from 'vitest';
import * as offered from '../src/index.ts';

test('the package offers exactly these values', () => {
  expect(Object.keys(offered).toSorted()).toEqual([
    'TaskNotifications',
    'TaskReceivers',
    'configsIn',
    'nextNotification',
    'notificationRequest',
  ]);
});
