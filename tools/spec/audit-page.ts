import type { Requirement } from '../tidy/content/titles.ts';
import type { Claim } from './claims.ts';
import type { Executed } from './executed.ts';

/** Functions of one file that are named; the rest is counted. */
const MAX_FUNCTIONS = 12;

const language = (file: string): string => (file.endsWith('x') ? 'tsx' : 'ts');

function executedLines(executed: readonly Executed[] | null): string[] {
  if (executed === null) return ['The test failed when it ran alone.'];
  return [
    'Executed beyond the start of a site:',
    '',
    ...executed.map(({ path, functions }) => {
      const more = functions.length > MAX_FUNCTIONS ? ` and ${functions.length - MAX_FUNCTIONS} more` : '';
      return `- \`${path}\`: ${functions.slice(0, MAX_FUNCTIONS).join(', ')}${more}`;
    }),
  ];
}

/**
 * One requirement as Markdown for a reader who did not write its tests: its text, where it is from, and every
 * test that claims it, with its body and, when `executedBy` is given, the product code it ran.
 */
export function auditOf(
  { id, kind, area, text, source }: Requirement,
  claims: readonly Claim[],
  executedBy?: (file: string, title: string) => Executed[] | null,
): string {
  return [
    `## ${id} (${kind}, ${area})`,
    '',
    `> ${text}`,
    '',
    `From ${source}.`,
    '',
    ...claims.flatMap(({ file, line, title, body }) => [
      `### \`${file}:${line}\` ${title}`,
      '',
      `\`\`\`${language(file)}`,
      body,
      '```',
      '',
      ...(executedBy ? [...executedLines(executedBy(file, title)), ''] : []),
    ]),
  ].join('\n');
}
