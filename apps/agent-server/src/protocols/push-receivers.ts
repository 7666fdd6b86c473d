import type { PushConfigs, TaskReading } from '@conv/a2a-push';
import type { ProtocolReceivers, ReceiverPlace, ServedProtocol } from '@conv/server/protocols';

/** Resolves with configurations of push notifications that the server keeps as receivers of the protocol. */
export async function pushConfigs({ list, set, delete: remove }: ProtocolReceivers): Promise<PushConfigs> {
  const { configsIn } = await import('@conv/a2a-push');
  return configsIn({
    list: async (taskId) => (await list(placeOf(taskId))).map(({ value }) => value),
    set: ({ taskId, id, value }, options) => set(placeOf(taskId), { id, value }, options),
    delete: (taskId, id) => remove(placeOf(taskId), id),
  });
}

/** Returns the place of a task, whose id is that of its conversation and that of the message that it answers. */
function placeOf(taskId: string): ReceiverPlace {
  const [conversation = '', event = ''] = taskId.split('_');
  return { conversation, event };
}

/** Resolves with the next push notification of a task for a configuration. */
export const nextPush: NonNullable<ServedProtocol['nextMessage']> = async (
  conversation,
  event,
  { value, progress },
) => {
  const [{ callMessages, readTask }, { nextNotification, notificationRequest }] = await Promise.all([
    import('@conv/a2a'),
    import('@conv/a2a-push'),
  ]);
  const read = async (): Promise<TaskReading> => {
    const { length } = conversation.events;
    const { task, items } = await readTask(conversation, event);
    const ids = { taskId: task.id, contextId: task.contextId };
    const calls = items.flatMap((item) => {
      const end = item.kind === 'call' ? (item.result?.index ?? 0) : 0;
      return callMessages(item, ids).map((message) => ({ end, message }));
    });
    return { task, calls, length };
  };
  const next = await nextNotification(read, progress);
  if (next === undefined || next === 'over') return next;
  return { ...notificationRequest(value, next.response), event: next.event, state: next.state };
};
