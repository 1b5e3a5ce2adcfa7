import { dayOf } from '#platform/time/days.ts';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const FOLDER = `${ROOT}docs/proofs/`;

export interface Proof {
  /** File name without its ending. */
  readonly name: string;
  readonly title: string;
  /** What was shown, in a sentence or two. */
  readonly claim: string;
  /** Counts and measurements, in the order shown. */
  readonly facts: readonly (readonly [name: string, value: string | number])[];
}

const shown = (value: string | number): string =>
  typeof value === 'number' ? value.toLocaleString('en-US') : value;

/** The sources a proof runs, without the proofs themselves and their reports. */
const SOURCES = ['platform', 'product', 'programs'];

/** The commit of the work tree, and whether its sources have uncommitted changes. */
function commitHere(): string {
  const git = (...words: string[]): string =>
    execFileSync('git', [...words, '--', ...SOURCES], { cwd: ROOT, encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain') !== '';
  return `${git('log', '-1', '--format=%h')}${isChanged ? ' with changes' : ''}`;
}

/** Writes the report of a proof that held; the person who runs `npm run prove` commits it. */
export function writeProof({ name, title, claim, facts }: Proof): void {
  mkdirSync(FOLDER, { recursive: true });
  const rows = facts.map(([fact, value]) => `| ${fact} | ${shown(value)} |`);
  const date = dayOf(new Date());
  const text = [
    `# ${title}`,
    claim,
    ['| | |', '|---|---|', ...rows].join('\n'),
    `Last run in full on ${date}, by \`npm run prove\`, of the sources of ${commitHere()}.`,
  ].join('\n\n');
  writeFileSync(`${FOLDER}${name}.md`, `${text}\n`);
}
