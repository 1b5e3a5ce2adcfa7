/**
 * Orders a fresh listing so that a refresh moves as few tiles as possible: entries still listed stay where
 * they are, new ones fill the gaps of those that left, and the last ones move up into gaps that remain.
 * Returns exactly the entries of `fresh`.
 */
export function steady<Entry extends { readonly id: number }>(
  shown: readonly Entry[],
  fresh: readonly Entry[],
): readonly Entry[] {
  const byId = new Map(fresh.map((entry) => [entry.id, entry]));
  const known = new Set(shown.map((entry) => entry.id));
  const positions: (Entry | undefined)[] = shown.map((entry) => byId.get(entry.id));
  const newcomers = fresh.filter((entry) => !known.has(entry.id));
  for (const [at, entry] of positions.entries()) {
    if (entry === undefined) positions[at] = newcomers.shift();
  }
  positions.push(...newcomers);
  for (let at = 0; at < positions.length; at += 1) {
    while (positions[at] === undefined && at < positions.length) {
      const last = positions.pop();
      if (at < positions.length) positions[at] = last;
    }
  }
  return positions.filter((entry) => entry !== undefined);
}
