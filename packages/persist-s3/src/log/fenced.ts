import { StoreError } from '@conv/core/store';

/** Makes the `FENCED` error: another owner took the conversation over, or deleted it. */
export function fenced(id: string): StoreError {
  return new StoreError('FENCED', `conversation ${id} was taken over or deleted by another process; open it again`);
}
