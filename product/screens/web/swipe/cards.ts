import type { ListingEntryView } from '#product/browse/contract.ts';

/** The performers of the feed in swiping order, and which of them is shown. */
export interface Cards {
  readonly list: readonly ListingEntryView[];
  /** Position of the current card; the length of the list is its end. */
  readonly at: number;
  /** Ids of performers that the viewer hid here: earlier loads still contain them. */
  readonly hidden: ReadonlySet<number>;
}

export const NO_CARDS: Cards = { list: [], at: 0, hidden: new Set() };

/** Statuses with a video that anybody may watch, now or again in a moment. */
const WATCHABLE: ReadonlySet<ListingEntryView['status']> = new Set(['online', 'online_ai', 'reconnecting']);

/**
 * The cards after a load. Seen cards, and the current one, keep their position; performers ahead who are no
 * longer listed are removed; new ones are appended.
 */
export function grown({ list, at, hidden }: Cards, fresh: readonly ListingEntryView[]): Cards {
  const byId = new Map(fresh.filter(({ id }) => !hidden.has(id)).map((entry) => [entry.id, entry]));
  const seen = list.slice(0, at + 1).map((card) => byId.get(card.id) ?? card);
  const ahead = list.slice(at + 1).flatMap((card) => byId.get(card.id) ?? []);
  const known = new Set([...seen, ...ahead].map(({ id }) => id));
  const more = [...byId.values()].filter(({ id, status }) => !known.has(id) && WATCHABLE.has(status));
  return { list: [...seen, ...ahead, ...more], at, hidden };
}

/** The cards without a performer; the next one takes the position. */
export const without = ({ list, at, hidden }: Cards, id: number): Cards => {
  const isBefore = list.findIndex((card) => card.id === id) < at;
  return {
    list: list.filter((card) => card.id !== id),
    at: isBefore ? at - 1 : at,
    hidden: new Set([...hidden, id]),
  };
};

/** The cards at a position, or the nearest existing one. */
export const shownAt = (cards: Cards, at: number): Cards => {
  const nearest = Math.max(0, Math.min(at, cards.list.length));
  return nearest === cards.at ? cards : { ...cards, at: nearest };
};
