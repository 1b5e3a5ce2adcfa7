import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Caller, Scope } from '#platform/contract/context.ts';
import { sessionChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { randomId } from '#platform/data/ids.ts';
import { loggedOut } from '#product/accounts/contract.ts';
import { getOverlay, makeOverlay, overlayUnknown, revokeOverlay } from '../../contract/overlay.ts';
import { deleteOverlay, findOverlay, insertOverlay, lockTips } from '../../store.ts';
import { findGoals } from '../../store/goals.ts';
import type { TipsDependencies } from '../dependencies.ts';
import { goalView } from '../goals.ts';
import { digestOf, digestOfSession, overlaySession } from './overlay-session.ts';

export interface OverlaySockets {
  /** The caller of an overlay's token: no person, but a session of its own. Null for any other token. */
  readonly redeem: (scope: Scope, token: string) => Promise<Caller | null>;
  /**
   * Whether a socket was opened with an overlay's token: it receives that overlay's alerts and joins no room.
   */
  readonly isOverlay: (caller: Caller) => boolean;
}

export function overlaySockets({ data }: TipsDependencies): OverlaySockets {
  return {
    redeem: async (scope, token) => {
      const digest = digestOf(token);
      const overlay = await data.tx(scope, (tx) => findOverlay(tx, { digest }));
      if (!overlay) return null;
      return {
        kind: 'guest',
        personId: null,
        sessionId: overlaySession(digest),
        username: null,
        roles: [],
      };
    },
    isOverlay: ({ sessionId }) => digestOfSession(sessionId) !== null,
  };
}

/** Deletes a performer's overlay and ends its sockets, in every process; they cannot open again. */
export async function revokeOverlayOf(tx: Tx, performerId: number): Promise<void> {
  await lockTips(tx, 'overlay', performerId);
  const overlay = await findOverlay(tx, { performerId });
  if (!overlay) return;
  await deleteOverlay(tx, performerId);
  await tx.send(sessionChannel(overlaySession(overlay.digest)), loggedOut, {});
}

export function overlayHandlers({ data, accounts }: TipsDependencies): CallHandler[] {
  return [
    handleCall(makeOverlay)(async (_input, context) =>
      data.tx(context.scope, async (tx) => {
        const { id: performerId } = await accounts.lockCaller(tx, context);
        await revokeOverlayOf(tx, performerId);
        const token = randomId();
        await insertOverlay(tx, performerId, digestOf(token));
        return { token, made_at: tx.now.toISOString() };
      })
    ),
    handleCall(revokeOverlay)(async (_input, context) =>
      data.tx(context.scope, async (tx) => {
        await revokeOverlayOf(tx, context.personId);
        return { status: 1 } as const;
      })
    ),
    handleCall(getOverlay)(async ({ token }, { scope, refuse }) =>
      data.tx(scope, async (tx) => {
        const overlay = await findOverlay(tx, { digest: digestOf(token) });
        const performer = overlay && (await accounts.findById(tx, overlay.performerId));
        if (!performer) return refuse(overlayUnknown);
        const [running] = await findGoals(tx, performer.id);
        return { performer: performer.displayName, goal: running ? goalView(running) : null };
      })
    ),
  ];
}
