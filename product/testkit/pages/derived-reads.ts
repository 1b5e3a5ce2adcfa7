import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = /\.tsx?$/u;
const NO_SOURCE = /\.test\.|\.d\.ts$|\.server\.tsx?$/u;

/** A call is read by a component, or by a route's loader with `read` and `readPages`. */
const READ = /(?<![\w.])(?:useRead|useReadPages|useFresh|read|readPages)\(/gu;
/** Reads that a loader writes in full. */
const QUERY = /(?<!\w|\w\.)(?:queryOf|pagesOf)\(\s*(?:tools\.call|call|useCall\(\))\s*,/gu;
/** Calls made where their answer is needed, without a cache. */
const BARE = /(?<![\w.])(?:tools\.)?call\(\s*(\w+)\s*,/gu;
/** Names of the calls that only read. */
const READS: ReadonlySet<string> = new Set(
  readdirSync('product').flatMap((slice) => {
    const client = join('product', slice, 'client.ts');
    if (!existsSync(client)) return [];
    const gets = /export const (\w+): ClientCallOf<[^>]*> = \{\s*name: '[^']*',\s*method: 'GET'/gu;
    return [...readFileSync(client, 'utf8').matchAll(gets)].map(([, name = '']) => name);
  }),
);
/** Reads with a query function of their own. */
const OWN_QUERY = /queryKey: queryKeyOf\((\w+), [^)]*\), queryFn:/gu;

/** Names of the reads of a slice's pages, as `account/cards-section.tsx listCards`: file and call. */
export function readsOf(slice: string): readonly string[] {
  const folder = join('product', slice, 'web');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => SOURCE.test(file) && !NO_SOURCE.test(file));
  const found = files.flatMap((file) => {
    const code = readFileSync(join(folder, file), 'utf8');
    return callsIn(code).map((call) => `${file} ${call}`);
  });
  return [...new Set(found)].toSorted();
}

/** Names of the calls that a source reads; looking at another read's data does not count. */
function callsIn(code: string): readonly string[] {
  const isPage = code.includes('calls/route.ts');
  const reads = [...code.matchAll(READ)].flatMap((match) => {
    const given = inParentheses(code, match.index + match[0].length);
    if (/enabled:\s*false\b/u.test(given) || (!match[0].startsWith('use') && !isPage)) return [];
    return callsOf(given.slice(0, given.indexOf(',')));
  });
  const bare = [...code.matchAll(BARE)].map(([, call = '']) => call).filter((call) => READS.has(call));
  const queries = [...code.matchAll(QUERY)].flatMap((match) => {
    const given = inParentheses(code, match.index + match[0].length);
    return /enabled:\s*false\b/u.test(code.slice(match.index, match.index + given.length + 80))
      ? []
      : callsOf(given.slice(0, given.indexOf(',')));
  });
  return [...reads, ...queries, ...bare, ...[...code.matchAll(OWN_QUERY)].map(([, call = '']) => call)];
}

/** The calls that an argument names: one, or two that a condition chooses between. */
const callsOf = (argument: string): readonly string[] => {
  const [, first, second] = /\?\s*(\w+)\s*:\s*(\w+)\s*$/u.exec(argument) ?? [];
  return first && second ? [first, second] : [argument.trim()];
};

/** The text between a `(` and its closing `)`. */
function inParentheses(code: string, from: number): string {
  let depth = 1;
  let end = from;
  while (depth > 0 && end < code.length) {
    if ('([{'.includes(code.charAt(end))) depth += 1;
    if (')]}'.includes(code.charAt(end))) depth -= 1;
    end += 1;
  }
  return code.slice(from, end - 1);
}

/** Slices whose pages read something. */
export const readingSlices = (): readonly string[] =>
  readdirSync('product')
    .filter((slice) => existsSync(join('product', slice, 'web')) && readsOf(slice).length > 0);
