import { MINUTE_MS } from '#platform/time/units.ts';
import { useAction, useRead } from '#platform/ui/calls/calls.ts';
import { useLobby, useWhileAway } from '#platform/ui/calls/live.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { ConfirmDialog } from '#platform/ui/surfaces/questions.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSecondsUntil } from '#platform/ui/time/countdown.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { Ticket } from 'lucide-react';
import { useState } from 'react';
import { cancelTicketShow, endTicketShow, getOwnTicketShows, startTicketShow } from '../../../client.ts';
import type { OwnTicketShowView } from '../../../contract/ticket-show.ts';
import { barOfStart, MIN_RECORDED_PERCENT } from '../../../rules/ticket-show.ts';
import { Clock, Cost, Figure, useMinutes } from '../../private/amounts.tsx';
import { SoldOf, StartsIn } from '../figures.tsx';
import { showNone, showOpen, useOwnShowsAgain } from '../live.ts';
import { OfferForm } from './offer-form.tsx';

/** The offered or running ticket show; takes no space without one. */
export default function OwnTicketShow() {
  const { t } = useTranslation('shows');
  const read = useRead(getOwnTicketShows, {}, useWhileAway(useLobby()));
  if (!read.data) return <ReadError read={read} />;
  const { open } = read.data;
  if (open === null) return null;
  return (
    <section data-now aria-labelledby="own-ticket-title" className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-3">
        <h2 id="own-ticket-title" className="text-lg font-bold">{t('ticket.own.title')}</h2>
        {/* First of all: on a phone the card may be longer than its container. */}
        {open.state === 'running' ? <EndButton show={open} /> : null}
      </div>
      {open.state === 'running' ? <RunningShow show={open} /> : <OfferedShow show={open} />}
    </section>
  );
}

/** The button to offer a ticket show, while there is none. */
export function OfferTicketShow() {
  const { data } = useRead(getOwnTicketShows, {});
  return data?.open === null ? <OfferButton /> : null;
}

/**
 * Unmounts, with its open form, when the show is offered: after the show the form does not reopen by itself.
 */
function OfferButton() {
  const { t } = useTranslation('shows');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={<Ticket size={20} aria-hidden />} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {t('ticket.own.title')}
      </Button>
      {isOpen
        ? (
          <Dialog title={t('ticket.own.title')} onClose={() => setOpen(false)}>
            <OfferForm />
          </Dialog>
        )
        : null}
    </>
  );
}

function Numbers({ show }: { show: OwnTicketShowView }) {
  const { t } = useTranslation('shows');
  return (
    <>
      <p className="min-w-0 break-words max-lg:line-clamp-1">
        <Typed>{show.limited_message}</Typed>
      </p>
      <dl className="flex flex-wrap gap-x-6 gap-y-2">
        <Figure name={t('ticket.price')}>
          <Cost tokens={show.ticket_price} />
        </Figure>
        <Figure name={t('ticket.sold')}>
          <SoldOf show={show} />
        </Figure>
        {show.recording_price > 0
          ? (
            <Figure name={t('ticket.recording.price')}>
              <Cost tokens={show.recording_price} />
            </Figure>
          )
          : null}
        {show.state === 'running' ? null : <StartsIn at={show.starts_at} />}
      </dl>
    </>
  );
}

function OfferedShow({ show }: { show: OwnTicketShowView }) {
  const { t } = useTranslation('shows');
  const again = useOwnShowsAgain();
  const clock = useServerClock();
  const start = useAction(startTicketShow, showOpen);
  const cancel = useAction(cancelTicketShow, showNone);
  const [isAsking, setAsking] = useState(false);
  const startsAt = Date.parse(show.starts_at);
  // Re-renders every second, so that the rule is checked again.
  useSecondsUntil(startsAt);
  const bar = barOfStart(
    { phase: 'offered', startsAt, minimumTickets: show.minimum_tickets },
    show.sold,
    clock.now(),
  );
  const begin = async () => {
    if (await start.run({}) === null) again();
  };
  const withdraw = async () => {
    if (await cancel.run({})) setAsking(false);
    again();
  };
  return (
    <div className="flex flex-col gap-3">
      <Numbers show={show} />
      <div className="flex flex-wrap gap-3">
        {bar === null
          ? (
            <Button tone="primary" busy={start.busy} onClick={() => void begin()}>
              {t('ticket.own.start')}
            </Button>
          )
          : null}
        <Button onClick={() => setAsking(true)}>{t('ticket.own.cancel')}</Button>
      </div>
      {bar === 'ticket_too_early' ? <p className="text-sm text-muted">{t('ticket.own.early')}</p> : null}
      {bar === 'ticket_under_minimum' ? <p className="text-sm text-muted">{t('ticket.own.few')}</p> : null}
      <p className="text-sm text-muted">{t('ticket.own.late')}</p>
      <FormError problem={start.problem} />
      {isAsking
        ? (
          <ConfirmDialog
            title={t('ticket.own.cancelTitle')}
            accept={t('ticket.own.cancel')}
            reject={t('ticket.own.keep')}
            tone="danger"
            busy={cancel.busy}
            onAccept={() => void withdraw()}
            onReject={() => setAsking(false)}
          >
            <p>{t('ticket.own.cancelText')}</p>
            <FormError problem={cancel.problem} />
          </ConfirmDialog>
        )
        : null}
    </div>
  );
}

/** Seconds until a running show has reached its agreed length. */
const useSecondsLeft = (show: OwnTicketShowView): number =>
  useSecondsUntil(Date.parse(show.started_at ?? '') + show.minutes * MINUTE_MS);

function RunningShow({ show }: { show: OwnTicketShowView }) {
  const { t } = useTranslation('shows');
  const left = useSecondsLeft(show);
  return (
    <div className="flex flex-col gap-3 max-lg:gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-6">
        <p role="status" className="font-bold">{t('ticket.own.on')}</p>
        {left > 0
          ? (
            <dl>
              <Figure name={t('ticket.own.left')}>
                <Clock seconds={left} />
              </Figure>
            </dl>
          )
          : <p>{t('ticket.own.full')}</p>}
      </div>
      <Numbers show={show} />
      {show.recording_price > 0
        ? (
          <p role="status" className="text-sm">
            {show.is_recorded
              ? t('ticket.own.recordingOn')
              : t('ticket.own.recordingOff', { percent: MIN_RECORDED_PERCENT })}
          </p>
        )
        : null}
    </div>
  );
}

function EndButton({ show }: { show: OwnTicketShowView }) {
  const { t } = useTranslation('shows');
  const minutes = useMinutes();
  const again = useOwnShowsAgain();
  const end = useAction(endTicketShow, showOpen);
  const [isAsking, setAsking] = useState(false);
  const left = useSecondsLeft(show);
  const finish = async () => {
    if (await end.run({})) setAsking(false);
    again();
  };
  return (
    <>
      <Button tone="danger" onClick={() => setAsking(true)}>{t('ticket.own.end')}</Button>
      {isAsking
        ? (
          <ConfirmDialog
            title={t('ticket.own.endTitle')}
            accept={t('ticket.own.end')}
            reject={t('ticket.own.keep')}
            tone="danger"
            busy={end.busy}
            onAccept={() => void finish()}
            onReject={() => setAsking(false)}
          >
            <p>{left > 0 ? t('ticket.own.endEarly', { time: minutes(left) }) : t('ticket.own.endFull')}</p>
            <FormError problem={end.problem} />
          </ConfirmDialog>
        )
        : null}
    </>
  );
}
