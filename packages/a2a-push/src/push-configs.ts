import { TaskPushNotificationConfig } from '@a2a-js/sdk';
import type { JsonObject } from '@conv/core';

/** Keeps what clients asked to be notified of. */
export interface PushConfigs {
  /** Resolves with the configurations of a task. They hold keys of their receivers. */
  list(taskId: string): Promise<readonly TaskPushNotificationConfig[]>;
  /**
   * Stores a configuration in the place of the one with its task and id, for the sender of a request. Resolves with false, and stores nothing, if the
   * task has `most` others. Must decide so for calls of all processes together.
   */
  set(
    config: TaskPushNotificationConfig,
    options: { readonly most: number; readonly request: Request },
  ): Promise<boolean>;
  /** Removes a configuration. Idempotent. */
  delete(taskId: string, id: string): Promise<void>;
}

/** Configurations as JSON, which a host keeps: they hold keys of receivers. As {@link PushConfigs}. */
export interface ConfigRecords {
  /** Resolves with the configurations of a task. */
  list(taskId: string): Promise<readonly JsonObject[]>;
  /** Stores a configuration in the place of the one with its id. Resolves with false, and stores nothing, if the task has `most` others. */
  set(
    config: { readonly taskId: string; readonly id: string; readonly value: JsonObject },
    options: { readonly most: number; readonly request: Request },
  ): Promise<boolean>;
  /** Removes a configuration. Idempotent. */
  delete(taskId: string, id: string): Promise<void>;
}

/** Returns the configurations that a host keeps. */
export function configsIn(records: ConfigRecords): PushConfigs {
  return {
    list: async (taskId) => (await records.list(taskId)).map((value) => TaskPushNotificationConfig.fromJSON(value)),
    set: (config, options) => {
      const { taskId, id } = config;
      return records.set({ taskId, id, value: TaskPushNotificationConfig.toJSON(config) as JsonObject }, options);
    },
    delete: (taskId, id) => records.delete(taskId, id),
  };
}

/** Configurations that are lost with the process. */
export class ConfigsInMemory implements PushConfigs {
  readonly #configs = new Map<string, TaskPushNotificationConfig>();

  async list(taskId: string): Promise<readonly TaskPushNotificationConfig[]> {
    return this.#of(taskId);
  }

  async set(config: TaskPushNotificationConfig, { most }: { readonly most: number }): Promise<boolean> {
    const { taskId, id } = config;
    if (this.#of(taskId).filter((each) => each.id !== id).length >= most) return false;
    this.#configs.set(`${taskId} ${id}`, config);
    return true;
  }

  async delete(taskId: string, id: string): Promise<void> {
    this.#configs.delete(`${taskId} ${id}`);
  }

  #of(taskId: string): readonly TaskPushNotificationConfig[] {
    return [...this.#configs.values()].filter((config) => config.taskId === taskId);
  }
}
