import { handleCall, handleEvent, type CallHandler, type EventHandler } from '#platform/contract/bind.ts';
import { topicPersonChannel } from '#platform/contract/event.ts';
import { pageOf } from '#platform/data/paging.ts';
import { performerOfTopic, roomTopic } from '#product/rooms/rules.ts';
import { refuseEntry } from '#product/rooms/server.ts';
import { getReceipts, privatePing } from '../../contract/private-running.ts';
import { checkPrivate } from '../../contract/private-show.ts';
import { secondsFor } from '../../rules/meter.ts';
import { priceNow, RECEIPTS_PAGE, tokensToStart } from '../../rules/private.ts';
import { findReceipts, findRequest } from '../../store/privates.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { spendingOf } from '../metering/spending.ts';
import { offerOf } from '../offers.ts';
import { refusalReasonOf } from './requests.ts';
import { showWith, type RunningShows } from './running.ts';
import { namesOf, receiptView, requestView } from './views.ts';

export function checkHandler(deps: ShowsDependencies, shows: RunningShows): CallHandler {
  const { data, rooms, ledger, accounts } = deps;
  return handleCall(checkPrivate)(async ({ username }, context) =>
    data.tx(context.scope, async (tx) => {
      const entry = await rooms.enter(tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      const { owner: { id, username: name } } = entry;
      const me = context.personId;
      const now = await offerOf(deps, tx, id);
      const { offer, discountPercent: percent } = now;
      const { tokens, spendable, avail, day } = await spendingOf(ledger, tx, me);
      const preTip = offer.isPreTipEnabled ? offer.preTipCost : 0;
      const price = priceNow(offer, false, percent);
      const exclusive = offer.isExclusiveEnabled ? priceNow(offer, true, percent) : null;
      const secondsAt = (perMinute: number): number => secondsFor(perMinute, Math.max(0, spendable - preTip));
      const request = await findRequest(tx, id, me);
      const running = await showWith(tx, id, me);
      const nameOf = await namesOf(accounts, tx, [id, me]);
      return {
        username: name,
        bar: (await refusalReasonOf(deps, tx, id, now)).bar,
        cost_per_minute: price,
        exclusive_cost_per_minute: exclusive,
        is_recording_enabled: offer.isRecordingEnabled,
        pre_tip: preTip,
        minimum_minutes: offer.privateMinimumDuration,
        tokens_to_start: tokensToStart(offer, price),
        exclusive_tokens_to_start: exclusive === null ? null : tokensToStart(offer, exclusive),
        tokens,
        spendable,
        avail,
        day,
        seconds: secondsAt(price),
        exclusive_seconds: exclusive === null ? null : secondsAt(exclusive),
        stream_bits_per_second: await shows.bitsOf(tx, id),
        request: request && requestView(request, nameOf, tx.now, null),
        running: running && shows.viewFor(tx.operatorId, running, me),
      };
    })
  );
}

export function receiptsHandler({ data, accounts }: ShowsDependencies): CallHandler {
  return handleCall(getReceipts)(async ({ before }, context) =>
    data.tx(context.scope, async (tx) => {
      const me = context.personId;
      const found = await findReceipts(tx, me, before ?? null);
      const { page: rows, next } = pageOf(found, RECEIPTS_PAGE);
      const nameOf = await namesOf(accounts, tx, rows.flatMap((row) => [row.viewer_id, row.performer_id]));
      return {
        receipts: rows.map((row) => receiptView(row, nameOf, me)),
        next,
      };
    })
  );
}

/** Forwards a keep-alive to the other person, under the sender's real name, and does nothing else. */
export const pingHandler = ({ bus }: ShowsDependencies, shows: RunningShows): EventHandler =>
  handleEvent(privatePing)(async (_payload, { topic, caller, scope: { operatorId } }) => {
    const performerId = performerOfTopic(topic);
    const { personId, username } = caller;
    const other = personId === null ? null : shows.otherOf(operatorId, performerId, personId);
    if (other === null || username === null) return;
    bus.publish({
      operatorId,
      channel: topicPersonChannel(roomTopic(performerId), other),
      name: privatePing.name,
      payload: { from: username },
    });
  });
