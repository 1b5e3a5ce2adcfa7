import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { NEWCOMER_SHARE, WEIGHTS } from './rules/listing/ranking.ts';

const DOC = readFileSync(new URL('../../docs/ranking.md', import.meta.url), 'utf8');

/** Points at most of the published table, by the words of its first column. */
const published = (part: string): number =>
  Number(new RegExp(`\\| ${part} \\| (\\d+) \\|`, 'u').exec(DOC)?.[1]);

it('the published formula is the one that orders', () => {
  expect(WEIGHTS).toEqual({
    viewers: published('viewers now'), tips: published('tokens tipped in the last hour'),
    rating: published('rating'), fresh: published('just came online'), followers: published('followers'),
  });
  expect(Object.values(WEIGHTS).reduce((sum, points) => sum + points, 0)).toBe(100);
  expect(DOC).toContain('every tenth tile');
  expect(NEWCOMER_SHARE).toBe(10);
});
