import { QUIET, type StoryCall, type StoryStep, type StoryTurn } from './story-turn.ts';

/** A story that is told for the frames that it has. */
export interface ToldStory {
  /** The subject of the story, for people. */
  readonly name: string;
  readonly turns: readonly [StoryTurn, StoryTurn];
}

/** The stories, by their number. Story 0 has most things once. */
export const TOLD_STORIES: readonly ToldStory[] = [
  story(
    'everything',
    turn(
      {
        reasoning: ['I ', 'think'],
        text: ['I look ', 'first.'],
        calls: [call('one'), call('two', { fails: true })],
      },
      { superseded: [['No, ']], text: ['Now ', 'it matters.'], calls: [risky('three')] },
      { superseded: [['Wrong ', 'answer']], text: ['It is ', 'done.'] },
    ),
    turn({ text: ['Lost ', 'answer'], end: 'breaks' }),
  ),
  story(
    'text and superseded pieces',
    turn({
      superseded: [
        ['One ', 'void'],
        ['Two ', 'void ', 'again'],
      ],
      reasoning: ['I ', 'thought ', 'thrice.'],
      text: ['The third ', 'holds.'],
    }),
    turn({
      superseded: [['The same ', 'words ', 'of ', 'five ', 'pieces.']],
      text: ['The same ', 'words ', 'of ', 'five ', 'pieces.'],
    }),
  ),
  story(
    'parallel calls',
    turn(
      { text: ['Three ', 'at once.'], calls: [call('first'), call('second', { fails: true }), call('third')] },
      { calls: [call('fourth'), call('fifth')] },
      { text: ['All ', 'called.'] },
    ),
    turn({ reasoning: ['Again'], calls: [call('sixth'), call('sixth')] }, { text: ['Twice.'] }),
  ),
  story(
    'approvals',
    turn(
      { text: ['May ', 'I?'], calls: [risky('one'), risky('two')] },
      { superseded: [['Hm ']], calls: [risky('three'), call('four')] },
      { text: ['Thank ', 'you.'] },
    ),
    turn({ reasoning: ['Last ', 'one'], calls: [risky('five')] }, { text: ['Done.'], end: 'breaks' }),
  ),
  story(
    'rejections',
    turn(
      { text: ['May ', 'I?'], calls: [risky('no harm')] },
      { text: ['And ', 'these?'], calls: [risky('no luck'), risky('good luck')] },
      { text: ['I ', 'see.'] },
    ),
    turn({ calls: [risky('no end')] }, { superseded: [['But ']], text: ['As you ', 'wish.'] }),
  ),
  story(
    'edited calls',
    turn(
      { text: ['I ', 'would:'], calls: [risky('other words')] },
      { calls: [risky('other hands'), call('my hands')] },
      { text: ['As ', 'changed.'] },
    ),
    turn({ reasoning: ['Once ', 'more'], calls: [risky('other ends')] }, { text: ['Done.'] }),
  ),
  story(
    'images',
    {
      ...turn(
        { text: ['I ', 'see.'], calls: [call('a house', { tool: 'paint' })] },
        { text: ['Like ', 'this.'], paints: true },
      ),
      hasImage: true,
    },
    turn({ calls: [risky('a tree', { tool: 'paint' })] }, { superseded: [['Or ']], text: ['So?'], paints: true }),
  ),
  story(
    'a condensation and a failure',
    turn({ text: ['Before.'], calls: [call('one')] }, { condenses: true, text: ['Still ', 'here.'] }),
    turn({ calls: [call('two')] }, { reasoning: ['Oh'], text: ['It ', 'breaks'], end: 'breaks' }),
  ),
  story(
    'calls without words',
    turn(
      { calls: [call('one')] },
      { calls: [call('two', { fails: true })] },
      { reasoning: ['So ', 'be ', 'it'], calls: [call('three')] },
      { text: ['Done.'] },
    ),
    turn({ text: ['No ', 'calls ', 'at ', 'all.'] }),
  ),
  story(
    'long answers',
    turn({ reasoning: ['One ', 'two ', 'three ', 'four'], text: ['Five ', 'six ', 'seven ', 'eight.'] }),
    turn({ text: ['Nine ', 'ten ', 'eleven.'], calls: [call('twelve')] }, { text: ['Thirteen ', 'fourteen.'] }),
  ),
  story(
    'a stopped run',
    turn(
      { text: ['I ', 'begin.'], calls: [call('one')] },
      { reasoning: ['This ', 'takes'], text: ['a ', 'while'], end: 'hangs' },
    ),
    turn({ text: ['Now ', 'another.'], calls: [call('two')] }, { text: ['Done.'] }),
  ),
];

function story(name: string, ...turns: readonly [StoryTurn, StoryTurn]): ToldStory {
  return { name, turns };
}

function turn(...steps: readonly Partial<StoryStep>[]): StoryTurn {
  return { hasImage: false, steps: steps.map((step) => ({ ...QUIET, ...step })) };
}

function call(words: string, more: Partial<StoryCall> = {}): StoryCall {
  return { tool: 'repeat', words, risky: false, fails: false, ...more };
}

function risky(words: string, more: Partial<StoryCall> = {}): StoryCall {
  return call(words, { ...more, risky: true });
}
