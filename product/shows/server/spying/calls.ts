import { handleCall, type CallHandler, type Subscription } from '#platform/contract/bind.ts';
import type { RefusalOf } from '#platform/contract/call.ts';
import type { HandlerContext } from '#platform/contract/context.ts';
import { Refused } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import type { ChatMode } from '#product/rooms/rules.ts';
import { refuseEntry } from '#product/rooms/server.ts';
import { inShow } from '../../contract/private-show.ts';
import {
  checkSpying,
  endSpying,
  getSpyAudience,
  getSpyPreview,
  getSpyReceipts,
  notSpying,
  spyDisabled,
  spyExclusive,
  spyFull,
  spyLimitedShow,
  spyNotPrivate,
  spyNotPublic,
  spyPriceDiffers,
  startSpying,
} from '../../contract/spying.ts';
import { secondsFor } from '../../rules/meter.ts';
import { RECEIPTS_PAGE } from '../../rules/private.ts';
import { barOfSpying, MAX_SPIES, type SpyBar } from '../../rules/spying.ts';
import { findPrivate, findRunning, type PrivateRow } from '../../store/privates.ts';
import { countSpies, findSpy, findSpyReceipts, insertSpy, type SpyRow } from '../../store/spies.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { expelled } from '../expelled.ts';
import { personNamed } from '../private/requests.ts';
import { namesOf } from '../private/views.ts';
import { isTicketShowInstalled } from '../tickets/installed.ts';
import { spyReceipt, type Spy } from './metered-spy.ts';
import { spyOfferOf, termsOf, type SpyTerms } from './offer.ts';
import type { RunningSpies, SpyStart } from './running.ts';

const BARS = {
  spy_not_private: spyNotPrivate,
  spy_not_public: spyNotPublic,
  spy_limited_show: spyLimitedShow,
  spy_exclusive: spyExclusive,
  spy_disabled: spyDisabled,
} as const satisfies Record<SpyBar, unknown>;

/** What a viewer's spying on a performer depends on and costs at this moment. */
interface SpyingNow {
  readonly show: PrivateRow | null;
  readonly spy: SpyRow | null;
  readonly bar: SpyBar | null;
  readonly terms: SpyTerms;
}

const modeOf = (
  show: PrivateRow | null,
  spy: SpyRow | null,
  viewerId: number,
  performerId: number,
): ChatMode => {
  if (viewerId === performerId || show?.viewer_id === viewerId) return 'private';
  return spy?.performer_id === performerId ? 'spy' : 'public';
};

async function spyingNow(
  deps: ShowsDependencies,
  tx: Tx,
  viewerId: number,
  performerId: number,
): Promise<SpyingNow> {
  const show = await findRunning(tx, 'performer_id', performerId);
  const spy = await findSpy(tx, viewerId);
  const offer = await spyOfferOf(deps, tx, performerId);
  const status = (await deps.rooms.statusOf(tx, [performerId])).get(performerId)?.status ?? 'offline';
  return {
    show,
    spy: spy?.performer_id === performerId ? spy : null,
    terms: await termsOf(deps, tx, offer, viewerId, performerId),
    bar: barOfSpying({
      // The room may learn a moment late that its show is over.
      chatStatus: show === null && status === 'private' ? 'connected' : status,
      mode: modeOf(show, spy, viewerId, performerId),
      isExclusive: show?.exclusive ?? false,
      isTicketShowInstalled: await isTicketShowInstalled(tx, performerId),
      isEnabled: offer.isEnabled,
    }),
  };
}

type StartContext = HandlerContext<RefusalOf<typeof startSpying>, number>;
type StartRefused = Refused<RefusalOf<typeof startSpying>>;

/**
 * Why a viewer cannot pay for spying; null when they can, or while the preview costs nothing.
 * @param comesBack tokens still held for the viewer's spying elsewhere
 */
async function unpaid(
  { ledger }: ShowsDependencies,
  tx: Tx,
  { price, tip, preview }: SpyTerms,
  viewerId: number,
  comesBack: number,
  { refuse }: StartContext,
): Promise<StartRefused | null> {
  const tokens = price + tip;
  if (price === 0 || tokens <= comesBack) return null;
  const refused = await ledger.maySpend(tx, viewerId, tokens - comesBack);
  if (!refused || (preview > 0 && refused.status === 'insufficient')) return null;
  return ledger.refuse(tx, refused, { personId: viewerId, tokens }, refuse);
}

interface Wish {
  readonly username: string;
  readonly price?: number | undefined;
  readonly startup_tip?: number | undefined;
}

async function start(
  deps: ShowsDependencies,
  spies: RunningSpies,
  tx: Tx,
  context: StartContext,
  wish: Wish,
  { leave, started }: SpyStart,
): Promise<StartRefused | Spy> {
  const { refuse } = context;
  const entry = await deps.rooms.enter(tx, context, wish.username);
  if ('refused' in entry) return refuseEntry(context, entry.refused);
  const { owner: { id: performerId } } = entry;
  const me = context.personId;
  const now = await spyingNow(deps, tx, me, performerId);
  if (now.bar !== null) return refuse(BARS[now.bar]);
  // Locked until the unit ends, so that nobody starts to spy on a show that is just ending.
  const show = now.show && await findPrivate(tx, now.show.id);
  if (!show || show.phase === 'ended') return refuse(spyNotPrivate);
  if (await findRunning(tx, 'viewer_id', me)) return refuse(inShow);
  if ((await countSpies(tx, show.id)).count >= MAX_SPIES) return refuse(spyFull);
  const { price, tip, preview } = now.terms;
  if ((wish.price ?? price) !== price || (wish.startup_tip ?? tip) !== tip) {
    return refuse(spyPriceDiffers, { values: { price }, extra: { price, startup_tip: tip } });
  }
  const elsewhere = await findSpy(tx, me);
  const comesBack = elsewhere ? spies.heldBy(tx.operatorId, elsewhere) : 0;
  const refused = await unpaid(deps, tx, now.terms, me, comesBack, context);
  if (refused) return refused;
  await leave(tx);
  return started(
    await insertSpy(tx, {
      private_id: show.id,
      performer_id: performerId,
      viewer_id: me,
      price,
      startup_tip: tip,
      preview,
    }),
  );
}

function startHandler(deps: ShowsDependencies, spies: RunningSpies): CallHandler {
  return handleCall(startSpying)(async (wish, context) => {
    const { scope } = context;
    const elsewhere = await deps.data.tx(scope, (tx) => findSpy(tx, context.personId));
    const started = await spies.unit(
      scope,
      elsewhere,
      (tx, starting) => start(deps, spies, tx, context, wish, starting),
    );
    if (started instanceof Refused) return started;
    return {
      status: 1 as const,
      cost_per_minute: started.row.price,
      message: deps.text(context.locale, 'shows:spying.started'),
    };
  });
}

function checkHandler(deps: ShowsDependencies, spies: RunningSpies): CallHandler {
  const { data, rooms, ledger } = deps;
  return handleCall(checkSpying)(async ({ username }, context) =>
    data.tx(context.scope, async (tx) => {
      const entry = await rooms.enter(tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      const me = context.personId;
      const { spy, bar, terms: { price, tip, preview } } = await spyingNow(deps, tx, me, entry.owner.id);
      const tokens = await ledger.balance(tx, me);
      return {
        bar: spy ? null : bar,
        cost_per_minute: price,
        startup_tip: tip,
        preview_seconds: preview,
        tokens,
        seconds: price === 0 ? null : secondsFor(price, Math.max(0, tokens - tip)),
        running: spy && spies.viewOf(tx.operatorId, spy),
      };
    })
  );
}

export function spyHandlers(deps: ShowsDependencies, spies: RunningSpies): CallHandler[] {
  const { data, rooms, accounts } = deps;
  return [
    startHandler(deps, spies),
    checkHandler(deps, spies),
    handleCall(endSpying)(async ({ username }, context) => {
      const row = await data.tx(context.scope, async (tx) => {
        const performer = await personNamed(deps, tx, username);
        const spy = await findSpy(tx, context.personId);
        return performer !== null && spy?.performer_id === performer.id ? spy : null;
      });
      const receipt = row && await spies.metering.end(context.scope.operatorId, row.id, 'user_ended');
      return receipt ?? context.refuse(notSpying);
    }),
    handleCall(getSpyPreview)(async ({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        const entry = await rooms.enter(tx, context, username);
        if ('refused' in entry) return refuseEntry(context, entry.refused);
        const { id: performerId } = entry.owner;
        const offer = await spyOfferOf(deps, tx, performerId);
        return { seconds: (await termsOf(deps, tx, offer, context.personId, performerId)).preview };
      })
    ),
    handleCall(getSpyAudience)(async (_input, context) =>
      data.tx(context.scope, async (tx) => {
        const show = await findRunning(tx, 'performer_id', context.personId);
        return show ? countSpies(tx, show.id) : { count: 0, tokens: 0 };
      })
    ),
    handleCall(getSpyReceipts)(async ({ before }, context) =>
      data.tx(context.scope, async (tx) => {
        const me = context.personId;
        const found = await findSpyReceipts(tx, me, before ?? null);
        const { page: rows, next } = pageOf(found, RECEIPTS_PAGE);
        const nameOf = await namesOf(accounts, tx, rows.flatMap((row) => [row.viewer_id, row.performer_id]));
        return {
          receipts: rows.map((row) => spyReceipt(row, nameOf, me)),
          next,
        };
      })
    ),
  ];
}

/** A viewer who is banned or kicked from a room stops spying there. */
export const removedSpies = ({ data }: ShowsDependencies, spies: RunningSpies): Subscription =>
  expelled('shows.spyModerated', async ({ operatorId, performerId, personId }) => {
    const spy = await data.tx({ operatorId }, (tx) => findSpy(tx, personId));
    if (spy?.performer_id === performerId) await spies.metering.end(operatorId, spy.id, 'removed');
  });
