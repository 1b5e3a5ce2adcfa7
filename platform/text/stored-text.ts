/** Characters that no database stores as text: NUL, and lone surrogates. */
const UNSTORABLE = new RegExp(String.raw`[\u0000\p{Cs}]`, 'u');
const ALL_UNSTORABLE = new RegExp(UNSTORABLE, 'gu');

/** Whether PostgreSQL stores a text unchanged. */
export const isStorable = (text: string): boolean => !UNSTORABLE.test(text);

type Path = readonly PropertyKey[];

/** Paths of the texts in a value that no database stores; field names count as texts. */
export function unstorablePaths(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => (
    isStorable(name) ? unstorablePaths(one, [...path, Array.isArray(value) ? Number(name) : name]) : [path]
  ));
}

/** The value with everything removed that a database would not store as text. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(ALL_UNSTORABLE, '');
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, one]) => [name.replaceAll(ALL_UNSTORABLE, ''), storable(one)]),
  );
}
