import { expect, it } from 'vitest';
import { audiencesIn, audiencesOf } from './rules/entry-topics.ts';

it('a change of a place reaches everybody whom it may decide for, and nobody of another place', () => {
  const reaches = (changed: string, region: string): boolean =>
    audiencesIn([changed]).some((audience) => audiencesOf(region).includes(audience));
  const reached: readonly [string, readonly string[]][] = [
    ['US-FL', ['US-FL', 'US', 'unknown', 'vpn:BR', 'strictest', 'vpn:US-FL']],
    ['US', ['US', 'US-FL', 'US-NY', 'unknown']],
    ['DE', ['DE', 'DE-BY', 'unknown', 'vpn:FR']],
    ['*', ['DE', 'US-FL', 'US', 'demo', 'unknown']],
  ];
  for (const [changed, regions] of reached) {
    for (const region of regions) expect(reaches(changed, region), `${changed} ${region}`).toBe(true);
  }
  const others: readonly [string, readonly string[]][] = [
    ['US-FL', ['US-NY', 'DE', 'demo']],
    ['DE', ['US', 'FR', 'demo']],
  ];
  for (const [changed, regions] of others) {
    for (const region of regions) expect(reaches(changed, region), `${changed} ${region}`).toBe(false);
  }
});
