import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { HALF_LIFE_MS, LEARNED_MS, MAX_LEARNED_SECONDS, MAX_STAY_SECONDS } from './rules/learning.ts';
import { FOR_YOU } from './rules/listing/for-you.ts';
import { NEWCOMER_EVERY, WEIGHTS } from './rules/listing/ranking.ts';

const DOC = readFileSync(new URL('../../docs/ranking.md', import.meta.url), 'utf8');

/** Maximum points by part, as in the published table. */
const published = (part: string): number =>
  Number(new RegExp(`\\| ${part} \\| (-?\\d+) \\|`, 'u').exec(DOC)?.[1]);

it('the published formula is the one that orders', () => {
  expect(WEIGHTS).toEqual({
    viewers: published('viewers now'),
    tips: published('tokens tipped in the last hour'),
    rating: published('rating'),
    fresh: published('just came online'),
    followers: published('followers'),
  });
  expect(Object.values(WEIGHTS).reduce((sum, points) => sum + points, 0)).toBe(100);
  expect(DOC).toContain('at least every ninth tile is of somebody who signed up within the last 30 days');
  expect(NEWCOMER_EVERY).toBe(9);
});

it('the published points of "for you", and what it learns, are those that order', () => {
  expect(FOR_YOU).toEqual({
    followed: published('somebody you follow'),
    watched: published('somebody you watch'),
    followedTags: published('tags in common with those you follow'),
    watchedTags: published('tags you watch'),
    sameGender: published('gender of those you follow or watch'),
    avoidedTags: published('tags you avoid'),
    avoidedLanguages: published('speaks only languages you avoid'),
  });
  expect(DOC).toContain('an hour of one visit and ten hours of one performer or tag at most');
  expect([MAX_STAY_SECONDS, MAX_LEARNED_SECONDS]).toEqual([3_600, 36_000]);
  expect(DOC).toContain('halves every 21 days, and what was not watched for 90 days is deleted');
  expect([HALF_LIFE_MS / 86_400_000, LEARNED_MS / 86_400_000]).toEqual([21, 90]);
  expect(DOC).toContain('at least every ninth tile');
});
