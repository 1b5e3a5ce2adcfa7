/** A part, and the slice that implements it. */
interface OwnedPart {
  readonly by: string;
  readonly implementation: { readonly keys: readonly string[] };
}

/** One sentence for each key with two owners: it would be unclear which of the two values counts. */
export function errorsOfOwners(parts: readonly OwnedPart[]): readonly string[] {
  const owners = new Map<string, string>();
  return parts.flatMap(({ by, implementation: { keys } }) =>
    keys.flatMap((key) => {
      const owner = owners.get(key);
      owners.set(key, by);
      return owner === undefined ? [] : [`${key} has two owners, ${owner} and ${by}`];
    })
  );
}
