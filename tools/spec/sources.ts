import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requirementsOf, type Requirement } from '../tidy/content/titles.ts';
import { claimsOf, type Claim } from './claims.ts';
import { testFiles } from './results.ts';

/** What the repository itself says about requirements: `spec/`, and the titles and bodies of tests. */
export interface Sources {
  readonly requirements: readonly Requirement[];
  /** Ids by milestone. */
  readonly milestones: ReadonlyMap<string, readonly string[]>;
  /** Milestones whose ids are each claimed by a test or open. */
  readonly due: ReadonlySet<string>;
  /** Ids that are not proven, with the reason. */
  readonly open: ReadonlyMap<string, string>;
  readonly claims: readonly Claim[];
}

/** First line of a milestone's list whose ids are due. */
const DUE = '# due';

/**
 * Reads `spec/requirements-*.tsv`, `spec/milestones/*.ids`, `spec/open.tsv` and every test file below `root`.
 */
export function readSources(root: string): Sources {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const lists = readdirSync(join(root, 'spec/milestones')).filter((name) => name.endsWith('.ids'))
    .map((name) => ({
      name: name.slice(0, -'.ids'.length),
      lines: read(`spec/milestones/${name}`).split('\n').map((line) => line.trim()).filter(Boolean),
    }));
  return {
    requirements: readdirSync(join(root, 'spec')).filter(
      (name) => /^requirements-\d+\.tsv$/u.test(name),
    ).sort()
      .flatMap((name) => requirementsOf(read(`spec/${name}`))),
    milestones: new Map(
      lists.map(({ name, lines }) => [name, lines.filter((line) => !line.startsWith('#'))]),
    ),
    due: new Set(lists.filter(({ lines }) => lines[0] === DUE).map(({ name }) => name)),
    open: new Map(
      read('spec/open.tsv').split('\n').slice(1).filter(Boolean).map((row) => {
        const [id = '', reason = ''] = row.split('\t');
        return [id, reason];
      }),
    ),
    claims: testFiles(root).filter(({ file }) => !file.startsWith('tools/'))
      .flatMap(({ file }) => claimsOf(file, read(file))),
  };
}
