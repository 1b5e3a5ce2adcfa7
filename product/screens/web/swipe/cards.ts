import type { ListingEntryView } from '#product/browse/contract.ts';

/** The performers of the feed in the order they are swiped through, and who is shown now. */
export interface Cards {
  readonly list: readonly ListingEntryView[];
  /** Position of the card that is shown; the length of the list is its end. */
  readonly at: number;
  /** Ids of whom the viewer hid here: loads that are older still have them. */
  readonly hidden: ReadonlySet<number>;
}

export const NO_CARDS: Cards = { list: [], at: 0, hidden: new Set() };

/** Statuses with a video that anybody may watch, or will be able to again in a moment. */
const WATCHABLE: ReadonlySet<ListingEntryView['status']> = new Set(['online', 'online_ai', 'reconnecting']);

/**
 * The cards after a load. What was seen, and what is shown, stays where it is; whoever is ahead and no longer
 * listed leaves; new ones come at the end.
 */
export function grown({ list, at, hidden }: Cards, fresh: readonly ListingEntryView[]): Cards {
  const byId = new Map(fresh.filter(({ id }) => !hidden.has(id)).map((entry) => [entry.id, entry]));
  const seen = list.slice(0, at + 1).map((card) => byId.get(card.id) ?? card);
  const ahead = list.slice(at + 1).flatMap((card) => byId.get(card.id) ?? []);
  const known = new Set([...seen, ...ahead].map(({ id }) => id));
  const more = [...byId.values()].filter(({ id, status }) => !known.has(id) && WATCHABLE.has(status));
  return { list: [...seen, ...ahead, ...more], at, hidden };
}

/** The cards without somebody; whoever comes next takes the position. */
export const without = ({ list, at, hidden }: Cards, id: number): Cards => {
  const isBefore = list.findIndex((card) => card.id === id) < at;
  return {
    list: list.filter((card) => card.id !== id), at: isBefore ? at - 1 : at, hidden: new Set([...hidden, id]),
  };
};

/** The cards at a position, or at the nearest there is. */
export const shownAt = (cards: Cards, at: number): Cards => {
  const nearest = Math.max(0, Math.min(at, cards.list.length));
  return nearest === cards.at ? cards : { ...cards, at: nearest };
};
