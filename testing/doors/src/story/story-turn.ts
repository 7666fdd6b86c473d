/** A call of a tool of the story. */
export interface StoryCall {
  /** `repeat` answers with the words, and `paint` with an image too. */
  readonly tool: 'repeat' | 'paint';
  readonly words: string;
  /** True if a person decides on it, as `choiceFor` says. */
  readonly risky: boolean;
  /** True if its result is an error. */
  readonly fails: boolean;
}

/** An answer of the model. */
export interface StoryStep {
  /** Pieces of the attempts of the model call before the last one, which are void; none if the first attempt succeeds. */
  readonly superseded: readonly (readonly string[])[];
  readonly reasoning: readonly string[];
  readonly text: readonly string[];
  /** True if the answer shows an image. */
  readonly paints: boolean;
  /** The calls of the answer. The last step of a turn has none. */
  readonly calls: readonly StoryCall[];
  /** True if what came before the turn is condensed before this step. */
  readonly condenses: boolean;
  /** The end of the model call behind its pieces: an answer, a failure, and with it that of the run, or none until the run is stopped. */
  readonly end: 'answers' | 'breaks' | 'hangs';
}

/** A turn: the message of the user, and what the agent answers. */
export interface StoryTurn {
  /** True if the message has an image. */
  readonly hasImage: boolean;
  readonly steps: readonly StoryStep[];
}

/** A step that answers nothing. */
export const QUIET: StoryStep = {
  superseded: [],
  reasoning: [],
  text: [],
  paints: false,
  calls: [],
  condenses: false,
  end: 'answers',
};
