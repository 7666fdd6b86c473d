import { StoreError, type OwnerInfo } from '@conv/core/store';

/** Makes the `NOT_FOUND` error for a conversation that a store does not hold. */
export function notInStore(id: string): StoreError {
  return new StoreError(
    'NOT_FOUND',
    `conversation ${id} is not in this store; check the id, or list the conversations`,
  );
}

/** Makes the `EXISTS` error for an id that is taken. */
export function existsAlready(id: string, options?: ErrorOptions): StoreError {
  return new StoreError('EXISTS', `conversation ${id} exists already; open it, or choose another id`, options);
}

/** Makes the `OWNED` error for a conversation with a living owner. */
export function ownedBy(id: string, owner: OwnerInfo): StoreError {
  const until = owner.until === undefined ? '' : ` until ${new Date(owner.until).toISOString()} unless renewed`;
  return new StoreError('OWNED', `conversation ${id} is owned by ${owner.owner}${until}; close it there, or read it`, {
    owner,
  });
}
