import type { OutputOf } from '#platform/contract/call.ts';
import { changeCached, queryKeyOf } from '#platform/ui/calls/calls.ts';
import { changeCachedPages } from '#platform/ui/calls/pages.ts';
import type { QueryClient } from '@tanstack/react-query';
import {
  getPreferences,
  getSubscription,
  listNotices,
  type deleteNotice,
  type markAllNotices,
  type markNotice,
} from '../client.ts';
import type { NoticeView } from '../contract.ts';
import type { PreferencesView, SubscriptionView } from '../contract/preferences.ts';

/** The lists of a page: all notices, and the unread ones. */
export const LISTS = [{}, { unread: true }] as const;

function changeNotices(
  cache: QueryClient,
  unread: number,
  change: (notice: NoticeView) => NoticeView | null,
): void {
  for (const list of LISTS) {
    changeCachedPages(cache, listNotices, list, (pages) =>
      pages.map((page) => ({
        ...page,
        unread,
        notices: page.notices.flatMap((item) => change(item) ?? []),
      })));
  }
}

/** Shows a notice as read or unread. It stays on screen until the list is opened again. */
export function showMarked(cache: QueryClient, { id, read, unread }: OutputOf<typeof markNotice>): void {
  changeNotices(cache, unread, (item) => (item.id === id ? { ...item, read } : item));
}

export function showAllMarked(
  cache: QueryClient,
  { up_to: upTo, unread }: OutputOf<typeof markAllNotices>,
): void {
  changeNotices(cache, unread, (item) => (item.id <= upTo ? { ...item, read: true } : item));
}

export function showDeleted(cache: QueryClient, { id, unread }: OutputOf<typeof deleteNotice>): void {
  changeNotices(cache, unread, (item) => (item.id === id ? null : item));
}

/** Reads lists again after a new notice. */
export function refreshNotices(cache: QueryClient): void {
  void cache.invalidateQueries({ queryKey: queryKeyOf(listNotices) });
}

export function showPreferences(cache: QueryClient, answer: PreferencesView): void {
  changeCached(cache, getPreferences, {}, () => answer);
}

export function showSubscription(cache: QueryClient, answer: SubscriptionView): void {
  const { token } = answer;
  changeCached(cache, getSubscription, token === null ? {} : { token }, () => answer);
}
