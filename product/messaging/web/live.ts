import { changeCached } from '#platform/ui/calls/calls.ts';
import { changeCachedPages } from '#platform/ui/calls/pages.ts';
import { getRoom } from '#product/rooms/client.ts';
import { readPart, withFields } from '#product/rooms/rules/room-part.ts';
import type { QueryClient } from '@tanstack/react-query';
import { listHidden, messagingPart, readNote } from '../client.ts';
import type { RelationView } from '../contract.ts';
import type { NoteView } from '../contract/notes.ts';

/** Shows a change of following or hiding in the room, and in every list opened later. */
export function showRelation(
  cache: QueryClient,
  { username, is_following: isFollowing, is_hidden: isHidden, follower }: RelationView,
): void {
  changeCached(cache, getRoom, { username }, (room) => {
    const { auth } = readPart(room, messagingPart);
    return withFields(room, { auth: { ...auth, isFollowing, isHidden }, user: { follower } });
  });
  // Any list may have changed. What is on screen stays, so that tiles do not vanish under a finger.
  void cache.invalidateQueries({ refetchType: 'none' });
}

/** The same, on the page of hidden performers. */
export function showShownAgain(cache: QueryClient, answer: RelationView): void {
  showRelation(cache, answer);
  changeCachedPages(cache, listHidden, {}, (pages) =>
    pages.map((page) => ({
      ...page,
      performers: page.performers.filter(({ username }) => username !== answer.username),
    })));
}

/** Shows the person's changed note. */
export function showNote(cache: QueryClient, note: NoteView): void {
  changeCached(cache, readNote, { username: note.username }, () => note);
}
