import { useCache } from '#platform/ui/calls/calls.ts';
import { useLiveStore } from '#platform/ui/calls/live-state.ts';
import { useEvent, useJoined } from '#platform/ui/calls/live.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { useEffect, useRef } from 'react';
import {
  privateDeclined,
  privateDiscount,
  privateEnded,
  privateExpired,
  privateFailed,
  privatePing,
  privateRequestReceived,
  privateSettingChanged,
  privateStarted,
  privateTick,
  privateWithdrawn,
  sharecamDeclined,
  showsPart,
  spyEnded,
} from '../../client.ts';
import { DEFAULT_END_REASON } from '../../rules/meter.ts';
import { isEndedByParticipant, PING_EVERY_MS } from '../../rules/private.ts';
import { isLow, tokensOfAvail } from '../../rules/spending.ts';
import { IN_PRIVATE } from '../in-private.ts';
import { RATING_OF, useStayed } from '../rating/live.ts';
import { Rating } from '../rating/reminder.tsx';
import { useAudienceEvents, useSpyEvents } from '../spying/live.ts';
import { useWatchEvents } from '../watching/live.ts';
import { useMinutes } from './amounts.tsx';
import { problemOfEvent, usePrivateFailure } from './failure.ts';
import {
  afterTick,
  changeCheck,
  changeQueue,
  neededToStart,
  useCheckAgain,
  useMissedEnd,
  useOtherPings,
  useOutcome,
  usePrivateCheck,
  useQueueAgain,
  useReadReceipt,
  useRecordingEvents,
  useWarning,
  type Outcome,
} from './live.ts';

/** Applies show events to the page's state, with the toasts and dialogs that they require. */
export function PrivateEvents(props: PagePartProps) {
  const { room, link: { connection } } = props;
  const { t } = useTranslation('shows');
  const toast = useToast();
  useEvent(connection, privateStarted, () => toast(null));
  useEvent(connection, spyEnded, () => toast(t('spyEnded'), 'success'));
  useEvent(
    connection,
    sharecamDeclined,
    ({ model_display_name: name }) => toast(t('sharecamDeclined', { name })),
  );
  usePings(props);
  useWatchEvents(props);
  useRecordingEvents(connection, room.user.username);
  return (
    <>
      {room.auth.isStreamer ? <PerformerEvents {...props} /> : <ViewerEvents {...props} />}
      <Rating {...props} />
    </>
  );
}

/** Sends a keep-alive every 10 s from this page of a private show, and follows the other person's. */
function usePings({ room, link: { connection } }: PagePartProps): void {
  const me = useMe()?.user.username;
  const store = useLiveStore();
  const { privateUsername } = readPart(room, showsPart);
  const isIn = me !== undefined && privateUsername !== null
    && (room.auth.isStreamer || privateUsername === me);
  useOtherPings(connection, room.user.username, isIn);
  useEffect(() => {
    if (!isIn) return undefined;
    const timer = setInterval(() => connection?.send(privatePing, { from: me }), PING_EVERY_MS);
    return () => clearInterval(timer);
  }, [connection, isIn, me]);
  useEffect(() => {
    store.change(IN_PRIVATE, () => isIn);
    return () => store.change(IN_PRIVATE, () => false);
  }, [isIn, store]);
}

/** Reads the conditions again when prices, the balance, or who may request a show have changed. */
function useConditions({ room, link: { connection } }: PagePartProps, again: () => void): void {
  const tokens = useMe()?.tokens ?? null;
  useJoined(connection, again);
  useEvent(connection, privateDiscount, again);
  useEvent(connection, privateSettingChanged, again);
  const conditions = `${room.chat.status} ${tokens}`;
  const known = useRef(conditions);
  useEffect(() => {
    if (known.current !== conditions) again();
    known.current = conditions;
  }, [again, conditions]);
}

function ViewerEvents(props: PagePartProps) {
  const { room, link: { connection }, onMoneyPrompt } = props;
  useSpyEvents(props);
  const { t } = useTranslation('shows');
  const toast = useToast();
  const cache = useCache();
  const store = useLiveStore();
  const { username } = room.user;
  const [, setOutcome] = useOutcome(username);
  const again = useCheckAgain(username);
  const fail = usePrivateFailure(onMoneyPrompt);
  /** Whether the last show or request failed, and no other one has followed yet. */
  const hasFailed = useRef(false);
  const isOver = useViewerEnds(props, hasFailed);
  const noRequest = () => {
    isOver();
    changeCheck(cache, username, (check) => ({ ...check, request: null }));
  };
  useConditions(props, again);
  useEvent(connection, privateRequestReceived, (request) => {
    if (request.broadcaster !== username) return;
    hasFailed.current = false;
    setOutcome(null);
    changeCheck(cache, username, (check) => ({ ...check, request }));
  });
  useEvent(connection, privateDeclined, ({ username: name }) => {
    noRequest();
    setOutcome({ kind: 'declined' });
    toast(t('declined', { name }));
  });
  useEvent(connection, privateExpired, () => {
    noRequest();
    setOutcome({ kind: 'expired' });
  });
  useEvent(connection, privateWithdrawn, noRequest);
  useEvent(connection, privateFailed, (failure) => {
    hasFailed.current = true;
    const needed = neededToStart(cache, username);
    noRequest();
    again();
    const problem = problemOfEvent(failure);
    setOutcome({ kind: 'failed', why: problem.message });
    fail(problem, needed);
  });
  useEvent(connection, privateStarted, () => {
    hasFailed.current = false;
    setOutcome(null);
    // A new show has started: no card asks about the previous one.
    store.change(RATING_OF, (of) => (of?.as === 'dialog' ? of : null));
    again();
  });
  useViewerMeter({ room, onMoneyPrompt, connection });
  return null;
}

/**
 * Shows a show's totals and asks for a rating, when its end is received, or found after a lost connection.
 * @returns marks a request or show as over without that
 */
function useViewerEnds(
  { room, link: { connection } }: PagePartProps,
  hasFailed: { readonly current: boolean },
): () => void {
  const { t, i18n } = useTranslation('shows');
  const toast = useToast();
  const cache = useCache();
  const store = useLiveStore();
  const { username } = room.user;
  const [, setOutcome] = useOutcome(username);
  const again = useCheckAgain(username);
  const warning = useWarning(username);
  const readReceipt = useReadReceipt(username);
  const { running = null, request = null } = usePrivateCheck(room).data ?? {};
  const own = running?.requested_at ?? request?.requested_at ?? null;
  const stayed = useStayed(connection);
  const over = (outcome: Outcome | null, refund: number, isHere = true) => {
    isOver();
    // The show is over, and its warning with it.
    warning.forget();
    changeCheck(cache, username, (check) => ({ ...check, request: null, running: null }));
    again();
    if (outcome) setOutcome(outcome);
    // A show that never began has failed: there is nothing to rate.
    if (outcome?.kind !== 'ended') return;
    if (refund > 0) {
      toast(t('private.refunded', { count: refund, tokens: formatCount(refund, i18n.language) }), 'success');
    }
    if (isHere) store.change(RATING_OF, () => ({ username, as: 'card' }));
  };
  const isOver = useMissedEnd(connection, username, own, (receipt) => {
    const { reason_ended: reason, started_at: startedAt, fanclub_refund: refund } = receipt;
    const isFailed = startedAt === null && !isEndedByParticipant(reason);
    over(isFailed ? { kind: 'failed', why: '' } : { kind: 'ended', reason, receipt }, refund, stayed());
  });
  useEvent(connection, privateEnded, ({ reason_ended: cause, fanclub_refund: refund }) => {
    // The failure was shown already.
    if (hasFailed.current) {
      over(null, 0);
      return;
    }
    const ended = { kind: 'ended', reason: cause ?? DEFAULT_END_REASON, receipt: null } as const;
    over(ended, refund ?? 0);
    readReceipt(ended);
  });
  return isOver;
}

/** Counts with the meter, and warns once per show that it is about to end for lack of tokens. */
function useViewerMeter({ room, onMoneyPrompt, connection }: Pick<PagePartProps, 'room' | 'onMoneyPrompt'> & {
  readonly connection: PagePartProps['link']['connection'];
}): void {
  const { t, i18n } = useTranslation('shows');
  const toast = useToast();
  const cache = useCache();
  const minutes = useMinutes();
  const { username } = room.user;
  const again = useCheckAgain(username);
  const warning = useWarning(username);
  useEvent(connection, privateTick, (tick) => {
    let show: string | null = null;
    changeCheck(cache, username, (known) => {
      show = known.running?.requested_at ?? null;
      return { ...known, request: null, running: afterTick(known.running, tick) };
    });
    if (show === null) {
      // The response says which show it is; the next tick follows soon.
      again();
      return;
    }
    const { privateUserTimeLeftInSecond: secondsLeft, avail, cost_per_minute: price } = tick;
    if (!isLow({ secondsLeft, avail, price })) {
      // Post-pay members are warned again after they had more; everybody else once per show.
      if (avail !== null) warning.forget();
      else warning.close();
      return;
    }
    const count = tokensOfAvail(avail ?? 0);
    const text = avail === null
      ? t('private.low', { time: minutes(secondsLeft) })
      : t('private.lowCredit', { count, tokens: formatCount(count, i18n.language) });
    warning.give(show, (until) =>
      toast(text, 'news', {
        stays: true,
        until,
        action: { text: t('private.buy'), onClick: () => onMoneyPrompt('low_tokens') },
      }));
  });
}

/** Performers get no low-tokens warnings. */
function PerformerEvents(props: PagePartProps) {
  const { room, link: { connection } } = props;
  useAudienceEvents(props);
  const cache = useCache();
  const { username } = room.user;
  const [, setOutcome] = useOutcome(username);
  const again = useQueueAgain();
  const readReceipt = useReadReceipt(username);
  // Settings changed before the page joined are read too.
  useJoined(connection, again);
  useEvent(connection, privateSettingChanged, again);
  useEvent(connection, privateStarted, () => {
    setOutcome(null);
    again();
  });
  useEvent(connection, privateTick, (tick) => {
    let isKnown = false;
    changeQueue(cache, (known) => {
      isKnown = known.running !== null;
      return { ...known, running: afterTick(known.running, tick) };
    });
    if (!isKnown) again();
  });
  useEvent(connection, privateEnded, ({ reason_ended: reason }) => {
    changeQueue(cache, (known) => ({ ...known, running: null }));
    const ended = { kind: 'ended', reason: reason ?? DEFAULT_END_REASON, receipt: null } as const;
    setOutcome(ended);
    readReceipt(ended);
    again();
  });
  return null;
}
