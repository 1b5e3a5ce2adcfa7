/**
 * Puts a fresh listing into the places of the shown one, so that a refresh moves as little as it can: who is
 * still there stays where they are, places of who left go to who came, and only when nobody came the last
 * ones move up. Answers exactly the entries of `fresh`, each in its newest form.
 */
export function steady<Entry extends { readonly id: number }>(
  shown: readonly Entry[], fresh: readonly Entry[],
): readonly Entry[] {
  const byId = new Map(fresh.map((entry) => [entry.id, entry]));
  const known = new Set(shown.map((entry) => entry.id));
  const places: (Entry | undefined)[] = shown.map((entry) => byId.get(entry.id));
  const newcomers = fresh.filter((entry) => !known.has(entry.id));
  for (const [at, entry] of places.entries()) {
    if (entry === undefined) places[at] = newcomers.shift();
  }
  places.push(...newcomers);
  for (let at = 0; at < places.length; at += 1) {
    while (places[at] === undefined && at < places.length) {
      const last = places.pop();
      if (at < places.length) places[at] = last;
    }
  }
  return places.filter((entry) => entry !== undefined);
}
