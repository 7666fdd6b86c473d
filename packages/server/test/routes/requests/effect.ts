/** A test that shows the effect of a member. */
interface Shown {
  /** Path from the root of the repository. */
  readonly file: string;
  readonly test: string;
}

/** Effect of a member of a request. */
export type Effect =
  | ({ readonly kind: 'acts' } & Shown)
  | ({ readonly kind: 'refused'; readonly reason: string } & Shown)
  | { readonly kind: 'noOp'; readonly reason: string };

/** Effects by component or route, then by member; `*` stands for all members. */
export type Effects = Readonly<Record<string, Readonly<Record<string, Effect>>>>;

/** The member does something, as this test shows. */
export function acts(file: string, test: string): Effect {
  return { kind: 'acts', file, test };
}

/** A request with the member is refused, as this test shows, and the refusal names it. */
export function refused(reason: string, file: string, test: string): Effect {
  return { kind: 'refused', reason, file, test };
}

/** The member is taken and does nothing, for this reason. */
export function noOp(reason: string): Effect {
  return { kind: 'noOp', reason };
}

/** The same for each of these members. */
export function each(members: readonly string[], effect: Effect): Readonly<Record<string, Effect>> {
  return Object.fromEntries(members.map((member) => [member, effect]));
}
