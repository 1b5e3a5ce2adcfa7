import { changeCached, useCache } from '#platform/ui/calls/calls.ts';
import { useEvent, useLobby } from '#platform/ui/calls/live.ts';
import { changeCachedPages } from '#platform/ui/calls/pages.ts';
import type { QueryClient } from '@tanstack/react-query';
import { getIgnoredNames, ignoreChanged, listIgnored } from '../../client.ts';
import type { IgnoreView } from '../../contract/ignores.ts';

/** Shows a change of this viewer's ignored people in chats, and on the page that lists them. */
export function showIgnore(cache: QueryClient, { username, is_ignored: isIgnored }: IgnoreView): void {
  changeCached(cache, getIgnoredNames, {}, ({ usernames }) => {
    const others = usernames.filter((name) => name !== username);
    return { usernames: isIgnored ? [...others, username] : others };
  });
  if (isIgnored) {
    void cache.invalidateQueries({ queryKey: [listIgnored.name], refetchType: 'none' });
    return;
  }
  changeCachedPages(cache, listIgnored, {}, (pages) =>
    pages.map((page) => ({
      ...page,
      people: page.people.filter((person) => person.username !== username),
    })));
}

/** Shows changes from another tab. */
export function useIgnoreEvents(): void {
  const cache = useCache();
  useEvent(useLobby(), ignoreChanged, (change) => showIgnore(cache, change));
}
