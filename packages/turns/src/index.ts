/**
 * A conversation as clients show it: ordered items, pieces of answers in progress and a cursor to come back with. The floor of
 * protocol adapters.
 *
 * @packageDocumentation
 */
export { answerRun, type Taken } from './answer-run.ts';
export { branchItems } from './branch-items.ts';
export { Decisions } from './decisions.ts';
export type { NumberedEvent } from './items-of.ts';
export { numbered, turnStart } from './find-call.ts';
export type { ItemChange, OutputChange, PieceChange, StateChange, TurnChange, WithdrawnChange } from './turn-change.ts';
export type {
  AnswerItem,
  CallItem,
  CallPhase,
  CallResult,
  CondensationItem,
  ErrorItem,
  MessageItem,
  TurnItem,
} from './turn-item.ts';
export { TurnFollower } from './turn-follower.ts';
export { turnItems } from './turn-items.ts';
export { turns, type FollowedConversation, type TurnsOptions } from './turns.ts';
export { TurnView, type PartialAnswer } from './turn-view.ts';
