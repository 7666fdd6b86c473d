import type { Effect, Effects } from './effect.ts';
import type { Members } from './request-members.ts';

const HEAD = `# Members of OpenHands' requests

OpenHands' clients send members that this server does not support. This page lists the members that are refused or have no effect; every other
member has an effect and a registered test. \`packages/server/test/routes/requests/accepted.test.ts\` generates the page and fails for a member
without an entry. To update the page, run \`vitest run test/routes/requests -u\` in \`packages/server\`.

A member of a body that is unknown here and differs from a known name in at most two characters is refused with 422, which gives the
known name. Other unknown members pass: clients of other versions send them. A conversation's info lists those of the request that
started it in \`ignored_members\`. A setting that guards a conversation, such as \`confirmation_policy\`, is refused in a request that does
not change it, with the request that does. No client of OpenHands' SDK from 1.43.1 to 1.58.2 sends a member that is refused for its name.
`;

const OUTGOING = `## Webhooks

Webhooks in the format of OpenHands' server (\`POST <base>/events/<id>\` and \`POST <base>/conversations\`) are sent, in order and until they are
taken: see [webhooks.md](webhooks.md). Events come without members that are null, and the session key is not sent along.
`;

type EffectOf = (owner: string, member: string) => Effect | undefined;

/**
 * Returns the page as text. `holders` holds the effects of components by route; the page shows them where they differ between
 * routes.
 */
export function requestDocument({ members, notServed }: Members, effectOf: EffectOf, holders: Effects): string {
  const all = [...members].flatMap(([owner, names]) =>
    names.map((name) => ({ owner, name, effect: effectOf(owner, name) })),
  );
  const lines = (kind: 'refused' | 'noOp'): string => {
    const byReason = new Map<string, string[]>();
    for (const { owner, name, effect } of all) {
      if (effect?.kind !== kind) continue;
      const key = `${owner}\n${effect.reason}`;
      byReason.set(key, [...(byReason.get(key) ?? []), name]);
    }
    return [...byReason].map(([key, names]) => line(key, names)).join('\n');
  };
  const count = all.filter(({ effect }) => effect?.kind === 'acts').length;
  return [
    HEAD,
    `${count} of ${all.length} members have an effect.\n`,
    `## Refused by name\n\nThe server answers 422, or 400 on a route without a body for it, and names the member.\n\n${lines('refused')}\n`,
    `## Accepted without effect\n\n${lines('noOp')}\n`,
    `## Exceptions by route\n\nThese members have an effect on other routes, but are refused or have no effect here.\n\n${byRoute(members, effectOf, holders)}\n`,
    ...(notServed.length === 0
      ? []
      : [
          `## Missing routes\n\nThese routes answer 404 with \`{"detail":"Not Found"}\`.\n\n${notServed.map((route) => `- \`${route}\``).join('\n')}\n`,
        ]),
    OUTGOING,
  ].join('\n');
}

function byRoute(members: Members['members'], effectOf: EffectOf, holders: Effects): string {
  const actsElsewhere = (component: string): boolean =>
    component === '*' || (members.get(component) ?? []).some((member) => effectOf(component, member)?.kind === 'acts');
  const lines = Object.entries(holders).flatMap(([holder, effects]) => {
    const byReason = new Map<string, string[]>();
    for (const [component, effect] of Object.entries(effects)) {
      if (effect.kind === 'acts' || !actsElsewhere(component)) continue;
      byReason.set(effect.reason, [...(byReason.get(effect.reason) ?? []), component]);
    }
    return [...byReason].map(([reason, components]) =>
      line(`${holder}\n${reason}`, components[0] === '*' ? ['everything'] : components),
    );
  });
  return lines.join('\n');
}

function line(key: string, names: readonly string[]): string {
  const [owner = '', reason = ''] = key.split('\n');
  return `- **${owner}**: ${names.map((name) => `\`${name}\``).join(', ')}. ${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}
