import type { ExecutionStatus, PendingAction, StateFields } from '@conv/core';
import type { Event } from '@conv/core/events';

/** Request to a worker to open a conversation. */
export interface OpenRequest {
  readonly id: string;
  readonly directory: string;
  readonly workspace: string;
  readonly create: 'must' | 'never';
  /** The first event that it shows and reports. */
  readonly from: number;
}

/** Calls to a worker and their answers. */
export interface WorkerCalls {
  open(request: OpenRequest): { readonly status: ExecutionStatus };
  send(text: string): { readonly id: string };
  /** Pauses behind the step that calls this tool. */
  run(pauseAfter?: string): { readonly status: ExecutionStatus };
  fork(options: { readonly from: string; readonly title: string }): { readonly id: string };
  answer(): { readonly text: string };
  state(): StateFields;
  secrets(values: Readonly<Record<string, string>>): null;
  /** From now on a person is asked before each action, and told how risky it is. */
  askFirst(): null;
  pending(): readonly PendingAction[];
  approve(ids: readonly string[]): null;
  reject(decision: { readonly ids: readonly string[]; readonly reason: string }): null;
  close(): null;
}

/** A call of the parent. */
export interface CallMessage {
  readonly call: number;
  readonly name: keyof WorkerCalls;
  readonly argument: unknown;
}

/** Message of a worker: an acknowledged event, or the result of a call. */
export type WorkerMessage =
  | { readonly kind: 'acknowledged'; readonly event: Event; readonly index: number }
  | { readonly kind: 'answer'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly call: number; readonly message: string };
