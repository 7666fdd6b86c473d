/** The stores that rounds are played on. */
export const STORE_KINDS = ['fs', 'sqlite', 'postgres', 's3'] as const;

/** One of {@link STORE_KINDS}. */
export type StoreKind = (typeof STORE_KINDS)[number];

/** True if `name` is one of {@link STORE_KINDS}. */
export function isStoreKind(name: string): name is StoreKind {
  return STORE_KINDS.some((kind) => kind === name);
}
