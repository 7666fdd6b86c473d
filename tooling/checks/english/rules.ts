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
