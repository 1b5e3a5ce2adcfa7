import { personChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { EngineRefused } from '#platform/streaming/engine.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import {
  broadcastEnded,
  broadcastInterrupted,
  broadcastMoved,
  broadcastResumed,
  broadcastStarted,
  broadcastStateChanged,
} from '../contract.ts';
import {
  secondsOf,
  type LifecycleChange,
  type LifecycleState,
  type PlaybackMode,
  type Transition,
} from '../rules.ts';
import { saveMove, saveState, type Broadcast } from '../store.ts';
import { isStandby } from '../store/settings.ts';
import type { BroadcastDependencies } from './dependencies.ts';

export const DEADLINE = 'broadcast.deadline';

/** Saves a transition, sets its deadline, and notifies tabs and later slices, all in one unit of work. */
export async function writeTransition(
  accounts: AccountsService,
  tx: Tx,
  broadcast: Broadcast,
  { state, change }: Transition,
): Promise<void> {
  await saveState(tx, broadcast.id, state);
  await scheduleDeadline(tx, broadcast.id, state);
  if (state.phase !== broadcast.state.phase) await sendState(tx, broadcast.performerId, state);
  if (change) await publishChange(accounts, tx, broadcast, state, change);
}

/** Saves the new stream name and mode of a broadcast, and publishes the move. */
async function writeMove(
  accounts: AccountsService,
  tx: Tx,
  broadcast: Broadcast,
  stream: string,
  mode: PlaybackMode,
): Promise<void> {
  const who = await performerIn(accounts, tx, broadcast);
  await saveMove(tx, broadcast.id, stream, mode);
  await tx.publish(broadcastMoved, `performer:${who.performerId}`, { ...who, stream, mode });
}

/** Moves the publisher in the engine and saves the move; if saving fails, moves it back. */
export async function moveAndSave(
  { accounts, data, media: { engine } }: BroadcastDependencies,
  operatorId: number,
  open: Broadcast,
  to: string,
  mode: PlaybackMode,
): Promise<void> {
  const isMoved = await moveInEngine(engine, open.stream, to);
  try {
    await data.tx({ operatorId }, (tx) => writeMove(accounts, tx, open, to, mode));
  } catch (error) {
    if (isMoved) await engine.move(to, open.stream);
    throw error;
  }
}

/** Moves the publisher in the engine; false when it is away, then it reconnects under the new name. */
async function moveInEngine(
  engine: BroadcastDependencies['media']['engine'],
  from: string,
  to: string,
): Promise<boolean> {
  try {
    await engine.move(from, to);
    return true;
  } catch (error) {
    if (!(error instanceof EngineRefused) || error.code !== 'stream_offline') throw error;
    await engine.stop(from);
    return false;
  }
}

/** Schedules the deadline of a state, or removes it. */
export async function scheduleDeadline(
  tx: Tx,
  broadcastId: number,
  { deadline }: LifecycleState,
): Promise<void> {
  const key = String(broadcastId);
  if (deadline === null) await tx.unschedule(DEADLINE, key);
  else await tx.schedule({ kind: DEADLINE, key, at: new Date(deadline) });
}

/** Sends the state of a broadcast to the performer's own tabs. */
export async function sendState(
  tx: Tx,
  performerId: number,
  { phase, endReason }: LifecycleState,
): Promise<void> {
  await tx.send(personChannel(performerId), broadcastStateChanged, {
    state: phase === 'ended' ? 'offline' : phase,
    reason: endReason,
    standby: await isStandby(tx, performerId),
  });
}

async function publishChange(
  accounts: AccountsService,
  tx: Tx,
  broadcast: Broadcast,
  state: LifecycleState,
  what: LifecycleChange,
): Promise<void> {
  const { stream } = broadcast;
  const who = await performerIn(accounts, tx, broadcast);
  const key = `performer:${who.performerId}`;
  if (what === 'started') await tx.publish(broadcastStarted, key, { ...who, stream });
  if (what === 'interrupted') await tx.publish(broadcastInterrupted, key, who);
  if (what === 'resumed') await tx.publish(broadcastResumed, key, { ...who, stream });
  if (what === 'ended') {
    const { endReason } = state;
    if (!endReason) throw new Error(`broadcast ${broadcast.id} ended without a reason`);
    const seconds = secondsOf(state, tx.now.getTime());
    await tx.publish(broadcastEnded, key, { ...who, reason: endReason, seconds });
  }
}

async function performerIn(
  accounts: AccountsService,
  tx: Tx,
  { id, performerId }: Broadcast,
): Promise<{ performerId: number; username: string }> {
  const person = await accounts.findById(tx, performerId);
  if (!person) throw new Error(`performer ${performerId} of broadcast ${id} has no account`);
  return { performerId, username: person.username };
}
