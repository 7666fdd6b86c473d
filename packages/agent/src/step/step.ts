import { drafts, agentMessage, type Event, type EventDraft, isEvent, isText } from '@conv/core/events';
import type { StepContext, StepOutcome } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import { actionDrafts } from '../calls/action-drafts.ts';
import { uniqueId, usedIds, withUniqueIds } from '../calls/unique-ids.ts';
import { type MaskText, truncateMasked } from '../base/mask-text.ts';
import type { Condenser } from '../condensers/condenser.ts';
import { closedMessages } from '../model/prompt/closed-messages.ts';
import { complete, type Completion } from '../model/completion/complete.ts';
import { isLlmError } from '../model/llm-error.ts';
import type { Model } from '../model/model.ts';
import { maskedDefinitions } from '../tools/masked-definitions.ts';
import { thoughtfulMessages } from '../model/prompt/reasoning-items.ts';
import { resultsBehindCalls } from '../model/prompt/results-behind-calls.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';
import type { Condensing } from './condensing.ts';
import { keptImages } from './kept-images.ts';
import type { Repairs } from './repairs.ts';
import { withCurrentSecrets } from './secrets-block.ts';
import { defined } from '../base/defined.ts';

/** The parts of a session that a step needs. */
export interface Stepper {
  readonly platform: Platform;
  readonly model: Model;
  readonly usageId: string;
  readonly condenser: Condenser | undefined;
  readonly tools: ReadonlyMap<string, OfferedTool>;
  /** Masks a text that is cut before the conversation masks it. */
  readonly mask: MaskText;
  /** The folder for images that no event can carry. */
  readonly sideDirectory: string | undefined;
  /** True if a text alone is no answer, because the finish tool takes the answer. */
  readonly mustFinish: boolean;
  readonly condensing: Condensing;
  readonly repairs: Repairs;
}

const NO_ACTION =
  'Your last answer neither said anything nor called a tool. Go on with the next tool call; call finish if the work is done, or answer the user in words.';
const REFUSED =
  'The provider stopped your last answer for reasons of its content policy. Go on in a way that keeps to it, or tell the user what you cannot do.';

const CALL_FINISH =
  'A program waits for your answer as the arguments of finish. Call finish now if the work is done, with what you have found out; go on with your work if it is not.';

/** The most reminders to call finish after a message of the user. */
const MOST_REMINDERS = 2;

/** The most characters of a message or its reasoning. */
const MAX_MESSAGE = 200_000;

/** Condenses if a condensation is due; otherwise asks the model once and emits the events of its answer. */
export async function step(stepper: Stepper, context: StepContext): Promise<StepOutcome> {
  context.signal.throwIfAborted();
  const condensable = await context.condensableView();
  if (await stepper.condensing.isDue(condensable, stepper, context)) return 'condensed';
  const view = condensable.events;
  let completion: Completion;
  try {
    completion = await ask(stepper, view, context);
  } catch (error) {
    if (await stepper.condensing.mayHelp(error, stepper, context)) return 'condensed';
    if (!isLlmError(error, 'CONTENT_POLICY') || wasNudged(view)) throw error;
    await context.emit([drafts.environmentMessage(REFUSED)]);
    return 'continue';
  }
  stepper.condensing.answered();
  const answer = await withKeptImages(completion, stepper.sideDirectory);
  const { events, outcome } = readAnswer(stepper, view, answer, context.state.securityAnalyzer !== null);
  await context.emit(events, [completion.record]);
  return outcome;
}

function ask(stepper: Stepper, view: readonly Event[], context: StepContext): Promise<Completion> {
  const { platform, model, usageId, tools, mask } = stepper;
  const { onToken, secrets, signal } = context;
  let attempts = 0;
  const send = (events: readonly Event[]): Promise<Completion> => {
    // A request with repairs is a further try, so the pieces of the try before it are void.
    const before = attempts;
    return complete(model, {
      platform,
      messages: closedMessages(resultsBehindCalls(thoughtfulMessages(events))),
      tools: maskedDefinitions(tools, mask),
      usageId,
      mask,
      signal,
      onDelta: onToken && ((delta, attempt) => onToken({ ...delta, attempt: (attempts = before + attempt) })),
    });
  };
  const canCondense = stepper.condenser?.handlesRequests === true;
  return stepper.repairs.sending(withCurrentSecrets(view, secrets, mask), send, canCondense);
}

/** Puts images that an event cannot carry into files, which a text names: calls have no place for images. */
async function withKeptImages(completion: Completion, folder: string | undefined): Promise<Completion> {
  const { message } = completion;
  if (message.content.every(isText)) return completion;
  const content = await keptImages(message.content, folder, message.tool_calls === undefined ? undefined : 0);
  return { ...completion, message: { ...message, content } };
}

interface ReadAnswer {
  readonly events: readonly EventDraft[];
  readonly outcome: StepOutcome;
}

/** Makes the events of an answer. Calls count before text, text before reasoning; with neither, a nudge follows. */
function readAnswer(
  stepper: Stepper,
  view: readonly Event[],
  completion: Completion,
  hasAnalyzer: boolean,
): ReadAnswer {
  const { message, refused } = completion;
  const used = usedIds(view);
  const responseId = uniqueId(completion.responseId, used.responses);
  const calls = withUniqueIds(message.tool_calls ?? [], used.calls);
  if (calls.length > 0) {
    return {
      events: actionDrafts(message, calls, responseId, { tools: stepper.tools, hasAnalyzer, mask: stepper.mask }),
      outcome: 'continue',
    };
  }
  const said = messageDraft(completion, responseId, stepper.mask);
  if (message.content.length > 0) {
    if (!stepper.mustFinish || nudges(view, CALL_FINISH) >= MOST_REMINDERS)
      return { events: [said], outcome: 'finished' };
    return { events: [said, drafts.environmentMessage(CALL_FINISH)], outcome: 'continue' };
  }
  const nudge = refused && !wasNudged(view) ? REFUSED : NO_ACTION;
  return { events: [said, drafts.environmentMessage(nudge)], outcome: 'continue' };
}

function messageDraft({ message }: Completion, responseId: string, mask: MaskText): EventDraft {
  const limited = (text: string): string => truncateMasked(text.toWellFormed(), MAX_MESSAGE, mask);
  const { reasoning_content: reasoning, thinking_blocks, responses_reasoning_item } = message;
  const content = message.content.map((part) => (isText(part) ? { ...part, text: limited(part.text) } : part));
  return agentMessage({
    content,
    llm_response_id: responseId,
    ...defined({ reasoning_content: reasoning && limited(reasoning), thinking_blocks, responses_reasoning_item }),
  });
}

/** True if the model knows, since the last user message, that the provider stopped it: two nudges would be a loop. */
function wasNudged(view: readonly Event[]): boolean {
  return nudges(view, REFUSED) > 0;
}

/** Counts how often the model was told this since the last message of the user. */
function nudges(view: readonly Event[], nudge: string): number {
  const lastWord = view.findLastIndex((event) => isEvent(event, 'MessageEvent') && event.source === 'user');
  return view.slice(lastWord + 1).filter((event) => {
    if (!isEvent(event, 'MessageEvent') || event.source !== 'environment') return false;
    const { content } = event.llm_message;
    return Array.isArray(content) && content.some((part) => isText(part) && part.text === nudge);
  }).length;
}
