import { idsOf, titleFault } from '../tidy/content/titles.ts';
import { shortfallsOf, type Shortfall } from './proof-rules.ts';
import type { FileResult } from './results.ts';
import type { Sources } from './sources.ts';

/** One test that claims a requirement. */
export interface Proof {
  readonly file: string;
  readonly line: number;
  readonly title: string;
  readonly passed: boolean;
}

export interface Count {
  readonly proven: number;
  /** Not proven, for a reason in `spec/open.tsv`. */
  readonly open: number;
  readonly total: number;
}

export interface Coverage {
  /** In numeric order; `missing` is neither proven nor open. */
  readonly milestones: Readonly<Record<string, Count & { readonly missing: readonly string[] }>>;
  readonly areas: Readonly<Record<string, Count>>;
  /** Tests per claimed id. */
  readonly proofs: ReadonlyMap<string, readonly Proof[]>;
  readonly proven: ReadonlySet<string>;
  /** Claimed, and by no test of the kind that could prove it. */
  readonly shortfalls: readonly Shortfall[];
  /** Tests that passed only when tried again, as `file:line  title`. */
  readonly retried: readonly string[];
  /**
   * Titles that claim unknown, open or too many ids, and due ids that stand nowhere, as `file:line  fault`.
   */
  readonly faults: readonly string[];
}

/**
 * What the tests prove. An id is proven when a passing test claims it, no failing one does, and its tests are
 * of the kind it needs: skipped tests prove nothing, and neither does a file that broke outside of its tests.
 */
export function coverageOf(
  { requirements, milestones, due, open, claims }: Sources,
  results: readonly FileResult[],
): Coverage {
  const known = new Set(requirements.map((requirement) => requirement.id));
  const faults: string[] = [];
  const retried: string[] = [];
  const proofs = new Map<string, Proof[]>();
  for (const { file, broken, tests } of results) {
    for (const { title, line, state, retries = 0 } of tests) {
      const fault = titleFault(title, known);
      if (fault) faults.push(`${file}:${line}  ${fault}`);
      if (retries > 0) retried.push(`${file}:${line}  ${title}`);
      if (state !== 'passed' && state !== 'failed') continue;
      const proof = { file, line, title, passed: state === 'passed' && !broken };
      for (const id of idsOf(title)) proofs.set(id, [...(proofs.get(id) ?? []), proof]);
    }
  }
  const claimed = new Set([...proofs.keys(), ...claims.flatMap(({ ids }) => ids)]);
  const shortfalls = shortfallsOf(requirements, claims);
  const short = new Set(shortfalls.map(({ id }) => id));
  const proven = new Set(
    [...proofs].flatMap(([id, tests]) => (!short.has(id) && tests.every((test) => test.passed) ? [id] : [])),
  );
  const count = (ids: readonly string[]): Count => ({
    proven: ids.filter((id) => proven.has(id)).length,
    open: ids.filter((id) => !proven.has(id) && open.has(id)).length,
    total: ids.length,
  });
  const areas = [...new Set(requirements.map((requirement) => requirement.area))].sort();
  return {
    milestones: Object.fromEntries(
      [...milestones].sort(([a], [b]) => Number(a) - Number(b))
        .map(([milestone, ids]) => [milestone, {
          ...count(ids),
          missing: ids.filter((id) => !proven.has(id) && !open.has(id)),
        }]),
    ),
    areas: Object.fromEntries(
      areas.map((area) => [
        area,
        count(requirements.filter((item) => item.area === area).map((item) => item.id)),
      ]),
    ),
    proofs,
    proven,
    shortfalls,
    retried: [...new Set(retried)],
    faults: [...new Set([...faults, ...listFaults({ milestones, due, open, known, claimed })])],
  };
}

/**
 * What is wrong with the lists of ids: each due id is claimed by a test or open for a reason, and never both.
 */
function listFaults({
  milestones,
  due,
  open,
  known,
  claimed,
}: Pick<Sources, 'milestones' | 'due' | 'open'> & {
  readonly known: ReadonlySet<string>;
  readonly claimed: ReadonlySet<string>;
}): string[] {
  return [
    ...[...milestones].flatMap(([milestone, ids]) => [
      ...ids.filter((id) => !known.has(id)).map(
        (id) => `spec/milestones/${milestone}.ids  ${id} is no requirement`,
      ),
      ...(due.has(milestone) ? ids.filter((id) => known.has(id) && !claimed.has(id) && !open.has(id)) : [])
        .map((id) =>
          `spec/milestones/${milestone}.ids  ${id} is due: claim it in a test, or say why not in`
          + ' spec/open.tsv'
        ),
    ]),
    ...[...open.keys()].flatMap((id) => [
      ...(known.has(id) ? [] : [`spec/open.tsv  ${id} is no requirement`]),
      ...(claimed.has(id) ? [`spec/open.tsv  ${id} is open, and a test claims it`] : []),
    ]),
  ];
}

/** The first milestone with something left to prove, else the last. */
export const currentMilestone = (coverage: Coverage): string => {
  const all = Object.entries(coverage.milestones);
  return (all.find(([, one]) => one.missing.length > 0) ?? all.at(-1))?.[0] ?? '';
};

/**
 * Picks `size` of some ids, the same ones for the same seed: mulberry32 and a partial Fisher–Yates shuffle.
 */
export function sample(from: Iterable<string>, size: number, seed: number): string[] {
  const ids = [...new Set(from)].sort();
  let state = seed >>> 0;
  const next = (below: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
  return Array.from({ length: Math.min(size, ids.length) }, () => ids.splice(next(ids.length), 1)[0] ?? '')
    .sort();
}
