import { personChannel } from '../../../platform/contract/event.ts';
import type { Tx } from '../../../platform/data/data.ts';
import type { AccountsService } from '../../accounts/server.ts';
import {
  broadcastCourse, broadcastEnded, broadcastInterrupted, broadcastMoved, broadcastResumed, broadcastStarted,
} from '../contract.ts';
import { secondsOf, type Announcement, type Course, type PlaybackMode } from '../rules.ts';
import { isStandby, saveCourse, saveMove, type Broadcast } from '../store.ts';

export const DEADLINE = 'broadcast.deadline';

/** Writes a step of a course, sets its deadline, and tells whom it concerns: all in one unit of work. */
export async function writeStep(
  accounts: AccountsService, tx: Tx, broadcast: Broadcast, course: Course, announce: Announcement | null,
): Promise<void> {
  await saveCourse(tx, broadcast.id, course);
  await watchDeadline(tx, broadcast.id, course);
  if (course.phase !== broadcast.course.phase) await tellCourse(tx, broadcast.performerId, course);
  if (announce) await announceStep(accounts, tx, broadcast, course, announce);
}

/** Writes that a broadcast plays under another name, in a mode, and announces it. */
export async function writeMove(
  accounts: AccountsService, tx: Tx, broadcast: Broadcast, stream: string, mode: PlaybackMode,
): Promise<void> {
  const who = await performerIn(accounts, tx, broadcast);
  await saveMove(tx, broadcast.id, stream, mode);
  await tx.publish(broadcastMoved, `performer:${who.performerId}`, { ...who, stream, mode });
}

/** Sets the deadline of a course, or takes it away. */
export async function watchDeadline(tx: Tx, broadcastId: number, { deadline }: Course): Promise<void> {
  const key = String(broadcastId);
  if (deadline === null) await tx.unschedule(DEADLINE, key);
  else await tx.schedule({ kind: DEADLINE, key, at: new Date(deadline) });
}

/** Tells the performer's own tabs where her broadcast stands. */
export async function tellCourse(tx: Tx, performerId: number, { phase, endReason }: Course): Promise<void> {
  await tx.send(personChannel(performerId), broadcastCourse, {
    state: phase === 'ended' ? 'offline' : phase, reason: endReason,
    standby: await isStandby(tx, performerId),
  });
}

async function announceStep(
  accounts: AccountsService, tx: Tx, broadcast: Broadcast, course: Course, what: Announcement,
): Promise<void> {
  const { stream } = broadcast;
  const who = await performerIn(accounts, tx, broadcast);
  const key = `performer:${who.performerId}`;
  if (what === 'started') await tx.publish(broadcastStarted, key, { ...who, stream });
  if (what === 'interrupted') await tx.publish(broadcastInterrupted, key, who);
  if (what === 'resumed') await tx.publish(broadcastResumed, key, { ...who, stream });
  if (what === 'ended') {
    const { endReason } = course;
    if (!endReason) throw new Error(`broadcast ${broadcast.id} ended without a reason`);
    const seconds = secondsOf(course, tx.now.getTime());
    await tx.publish(broadcastEnded, key, { ...who, reason: endReason, seconds });
  }
}

async function performerIn(
  accounts: AccountsService, tx: Tx, { id, performerId }: Broadcast,
): Promise<{ performerId: number; username: string }> {
  const person = await accounts.findById(tx, performerId);
  if (!person) throw new Error(`performer ${performerId} of broadcast ${id} has no account`);
  return { performerId, username: person.username };
}
