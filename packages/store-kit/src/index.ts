/**
 * What a storage adapter stands on. Each part works alone: an adapter takes the parts that fit its backend.
 *
 * @packageDocumentation
 */
export { LoadedJournal, type LoadedSink } from './loaded/loaded-journal.ts';
export { LoadedReader, type LoadedSource } from './loaded/loaded-reader.ts';
export { withDamage } from './records/damage-spans.ts';
export { keptIn, keptText, settingsText } from './records/kept-text.ts';
export { checkStore, type StoreCheckOptions, type StoreCheckProgress } from './whole-stores/check-store.ts';
export { copyConversation, type Copied, type CopyOptions } from './whole-stores/copy-conversation.ts';
export {
  copyStore,
  type CopiedConversation,
  type StoreCopyOptions,
  type StoreCopyProgress,
} from './whole-stores/copy-store.ts';
