import { StoreError } from '@conv/core/store';

/** Another owner took the conversation over, or it was deleted. */
export function fenced(id: string): StoreError {
  return new StoreError('FENCED', `conversation ${id} was taken over or deleted by another owner`);
}
