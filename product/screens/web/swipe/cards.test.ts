import type { ListingEntryView } from '#product/browse/contract.ts';
import { describe, expect, it } from 'vitest';
import { grown, NO_CARDS, shownAt, without, type Cards } from './cards.ts';

const entry = (
  id: number,
  status: ListingEntryView['status'] = 'online',
): ListingEntryView => ({ id, status } as ListingEntryView);
const entries = (...ids: readonly number[]): readonly ListingEntryView[] => ids.map((id) => entry(id));
const idsOf = ({ list }: Cards): readonly number[] => list.map(({ id }) => id);

describe('the cards of the feed', () => {
  it('begin with whoever can be watched', () => {
    const fresh = [entry(1, 'private'), entry(2), entry(3, 'offline'), entry(4, 'reconnecting')];
    expect(idsOf(grown(NO_CARDS, fresh))).toEqual([2, 4]);
  });

  it('keep what was seen where it is, drop who left ahead, and grow at their end', () => {
    const cards = shownAt(grown(NO_CARDS, entries(1, 2, 3, 4)), 1);
    const next = grown(cards, entries(5, 4, 2, 6));
    expect([idsOf(next), next.at]).toEqual([[1, 2, 4, 5, 6], 1]);
  });

  it('go on with the next when somebody is hidden, who never comes back', () => {
    const cards = shownAt(grown(NO_CARDS, entries(1, 2, 3)), 1);
    const next = without(cards, 2);
    expect([idsOf(next), next.at]).toEqual([[1, 3], 1]);
    expect(idsOf(grown(next, entries(2, 1, 3)))).toEqual([1, 3]);
    expect(without(cards, 1)).toMatchObject({ at: 0 });
  });

  it('have an end that one can be at, and nothing beyond', () => {
    const cards = grown(NO_CARDS, entries(1, 2));
    expect([shownAt(cards, 9).at, shownAt(cards, -1).at]).toEqual([2, 0]);
  });
});
