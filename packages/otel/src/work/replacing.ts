/**
 * Returns `target` with some members replaced. All other members are the target's own: optional members too, such as `kept` of a
 * reader, and members that the type of the target does not name.
 */
export function replacing<Target extends object>(target: Target, members: Partial<Target>): Target {
  // a proxy of a frozen object could not bind its methods, so the proxy's own object has no members
  return new Proxy(Object.create(target) as Target, {
    get: (_, name): unknown => {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const value: unknown = Reflect.get(target, name, target);
      // methods read private members, which a proxy does not have
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
