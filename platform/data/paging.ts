/**
 * One page of a list, read with one row more than it shows.
 * @param found at most `limit` + 1 rows, in the order of the list
 * @param keyOf the key after which the next page begins; the row's `id` unless given
 * @returns the rows of the page, and the key of its last row while there are more; null at the end
 */
export function pageOf<Row extends { readonly id: unknown }>(
  found: readonly Row[],
  limit: number,
): { readonly page: Row[]; readonly next: Row['id'] | null };
export function pageOf<Row, Key>(
  found: readonly Row[],
  limit: number,
  keyOf: (row: Row) => Key,
): { readonly page: Row[]; readonly next: Key | null };
export function pageOf<Row>(
  found: readonly Row[],
  limit: number,
  keyOf = (row: Row): unknown => (row as { readonly id: unknown }).id,
): { readonly page: Row[]; readonly next: unknown } {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { page, next: last !== undefined && found.length > limit ? keyOf(last) : null };
}
