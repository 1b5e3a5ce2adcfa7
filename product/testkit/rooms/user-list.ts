import { startUserList, userList } from '#product/rooms/contract.ts';
import { expect } from 'vitest';
import type { Member, TestSite } from '../site.ts';
import type { TestSocket } from './room-socket.ts';

/** Advances by throttle intervals until a count is reached. */
export const throttledOn = (site: TestSite, count: () => number, least = 1) =>
  expect.poll(() => {
    site.clock.advance(5_000);
    return count();
  }).toBeGreaterThanOrEqual(least);

/** The first list that a socket receives. */
export async function firstListOf(site: TestSite, socket: TestSocket) {
  await throttledOn(site, () => socket.received(userList).length);
  return socket.waitFor(userList);
}

/** Joins a room and starts its user list. */
export async function feedOf(who: Member, performer: Member): Promise<TestSocket> {
  const socket = await who.joins(performer);
  socket.send(startUserList, {});
  return socket;
}
