/**
 * A conversation as clients show it: ordered items, pieces of answers in progress and a cursor to come back with. The common part
 * of protocol adapters.
 *
 * @packageDocumentation
 */
export { endOfRuns } from './active-runs.ts';
export { answerRun, type AnswerOptions, type Taken } from './answer-run.ts';
export { branchItems } from './branch-items.ts';
export { argumentsOf, isClientCall, isFinish, waitsForClient, waitsForPerson } from './call-facts.ts';
export { checkMessage } from './check-message.ts';
export type { ClientRequest, Decision, EarlierMessage } from './client-request.ts';
export { ClientRuns, type ConnectedClient } from './client-runs.ts';
export { namedDecisions, type NamedDecision } from './call-decision.ts';
export { begunStreamResponse, eventStreamResponse, type BegunStream, type SharedEvents } from './event-stream.ts';
export type { NumberedEvent } from './items-of.ts';
export { numbered, turnStart } from './find-call.ts';
export { begunBy } from './begun-by.ts';
export { imageAt, imageData, type ImageData } from './image-at.ts';
export {
  pageOfTurns,
  type ConversationPage,
  type ListedConversation,
  type ListedTurn,
  type TurnList,
  type TurnPage,
  type TurnPageQuery,
} from './list-turns.ts';
export { isEventId, messageEventId } from './message-event-id.ts';
export { answerToQuestion } from './question-answer.ts';
export { questionEnd, questionNotes } from './question-end.ts';
export { Questions, type Answer, type Asker, type Question } from './questions.ts';
export { refusalStatus } from './refusal-status.ts';
export { framesOf, type FrameReceiver, type ResponseFrames } from './response-frames.ts';
export type { TurnFailure } from './run-failure.ts';
export type { SentEvent } from './sent-event.ts';
export { stopTurn } from './stop-turn.ts';
export { takeRequest, type TakenRequest, type TakeOptions } from './take-request.ts';
export {
  allowsMore,
  approvalFor,
  approveAlways,
  askAgain,
  kindOf,
  kindText,
  standingApprovals,
  type CallKind,
} from './standing-approvals.ts';
export { tokenCounts, type TokenCounts } from './token-counts.ts';
export { itemEnd, turnBehind, type ReadConversation, type Turn, type TurnStatus } from './turn-behind.ts';
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
export { turnId, turnPlace, type TurnPlace } from './turn-place.ts';
export { TurnFollower } from './turn-follower.ts';
export { turnItems } from './turn-items.ts';
export type { FollowedConversation, TurnsOptions } from './turn-stream.ts';
export { turns } from './turns.ts';
export { TurnView, type PartialAnswer } from './turn-view.ts';
export { rest, untilRest, type RestOptions } from './until-rest.ts';
