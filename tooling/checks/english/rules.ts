/** A forbidden way of writing. */
export interface Rule {
  /** The finding, for the report. */
  readonly found: string;
  /** The advice. */
  readonly write: string;
  readonly pattern: RegExp;
}

/** Forbids openings that turn a sentence into a riddle; they are looked for at the start of a comment and of a tag. */
export const OPENINGS: readonly Rule[] = [
  {
    found: 'opens with a question word',
    write: 'begin with a verb, or with the noun itself',
    pattern: /^(?:What|Whether|Who|Whoever|Whose|How|Whatever)\b/,
  },
  {
    found: 'opens with a pronoun',
    write: 'begin with a verb, or with the noun itself',
    pattern: /^(?:One|Ones|Those|That which|Such as)\b(?! of\b)(?!-)/,
  },
];

/** Forbids subjects without a noun; they are looked for everywhere in a text. */
export const SUBJECTS: readonly Rule[] = [
  {
    found: 'has the subject "one that"',
    write: 'name the noun',
    pattern: /\b(?:[Oo]nes?|[Tt]hose) (?:that|who|which|whose|whom)\b/,
  },
  {
    found: 'has a person that is no role',
    write: 'name the caller, the user, the process',
    pattern:
      /\b(?:[Nn]obody|[Ss]omebody|[Aa]nybody|[Ee]verybody|[Ww]hoever|[Nn]o one|[Ss]omeone|[Aa]nyone|[Ee]veryone)\b/,
  },
];

/** Forbids sentences of comments whose subject is a clause, behind the first sentence too. */
export const SENTENCES: readonly Rule[] = [
  {
    found: 'has a sentence that begins with a question word',
    write: 'name the thing: "Commits that are lost …", and not "What is lost …"',
    pattern: /[.!;] (?:What|Whether|Who|Whoever)\b/,
  },
];

/** Matches the ids of promises in front of a name, such as `P1, P13: `. */
const PROMISES = String.raw`^(?:P\d+(?:(?:,| and)? P\d+)*: )?`;

/**
 * Forbids names of tests that are no sentence without the name of their group. The words begin no noun phrase: plural nouns that are
 * verbs too, such as "runs" or "waits", are left out.
 */
export const NAMES: readonly Rule[] = [
  {
    found: 'begins with a verb',
    write: 'begin with the subject, so that the name is a sentence without its group',
    pattern: new RegExp(
      `${PROMISES}(?:is|are|was|were|has|have|had|do|does|did|can|cannot|could|may|might|must|shall|should|will|would|accepts|asks|` +
        `becomes|begins|belongs|brings|comes|contains|continues|finds|gives|goes|ignores|keeps|knows|lets|makes|refuses|rejects|` +
        `removes|resolves|says|sees|stays|survives|takes|tells) `,
    ),
  },
  {
    found: 'begins with a preposition',
    write: 'begin with the subject, and put the circumstance behind it',
    pattern: new RegExp(
      `${PROMISES}(?:about|above|across|after|against|as|at(?! (?:least|most) )|before|behind|below|beside|between|beyond|by|during|` +
        `for|from|in|inside|into|of|on|outside|through|to|under|until|upon|with|within|without) `,
    ),
  },
  {
    found: 'begins with a word that needs a sentence before it',
    write: 'begin with the subject, and name its noun',
    pattern: new RegExp(`${PROMISES}(?:also|and|but|it|nor|or|that|they|which|whom|whose) `),
  },
  {
    found: 'is longer than 100 characters',
    write: 'say one thing',
    pattern: /^.{101}/s,
  },
];
