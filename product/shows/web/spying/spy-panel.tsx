import { problemOf, useAction, useCall } from '#platform/ui/calls/calls.ts';
import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { useTipRefusal } from '#product/tips/web/tip-panel.tsx';
import { Eye, Pause, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { endSpying, showsPart, startSpying } from '../../client.ts';
import type { RunningSpyView, SpyReceiptView } from '../../contract/spying.ts';
import { Clock, Cost, Figure } from '../private/amounts.tsx';
import { STATE_BUTTONS, STATE_FIGURES, STATE_ROW } from '../room/state-row.ts';
import { useSpyCheck, useSpyCheckAgain, useSpyOutcome, useSpyQuestion, type SpyCheck } from './live.ts';

/** Loaded when somebody wants to spy. */
const SpyDialog = lazy(() => import('./spy-dialog.tsx'));

/** Spying on a room's private show: the offer, the running totals, and the receipt. */
export default function SpyPanel(props: PagePartProps) {
  const { t } = useTranslation('shows');
  const { room } = props;
  const read = useSpyCheck(room);
  const [outcome, setOutcome] = useSpyOutcome(room.user.username);
  const { userSetting: { spy: offer }, privateExclusive } = readPart(room, showsPart);
  const running = room.chat.mode === 'spy' ? read.data?.running ?? null : null;
  const isOffered = room.streamStatus === 'private' && room.chat.mode === 'public' && offer.isEnabled
    && !privateExclusive;
  return (
    <section aria-label={t('spying.title')} className={STATE_ROW}>
      {running ? <Running running={running} {...props} /> : null}
      {outcome && !running ? <Over receipt={outcome} onClose={() => setOutcome(null)} /> : null}
      {isOffered ? <Offer check={read.data} {...props} /> : null}
      {read.isError && (isOffered || room.chat.mode === 'spy') ? <ReadError read={read} /> : null}
    </section>
  );
}

/** The price of spying, and the button to start; a guest logs in first. */
function Offer({ check, room, onMoneyPrompt }: PagePartProps & { readonly check: SpyCheck | undefined }) {
  const { t } = useTranslation('shows');
  const me = useMe();
  const call = useCall();
  const toast = useToast();
  const askLogin = useLoginPrompt();
  const [isBusy, setBusy] = useState(false);
  const { username, displayName: name } = room.user;
  const again = useSpyCheckAgain(username);
  const { userSetting: { spy: offer } } = readPart(room, showsPart);
  const refused = useTipRefusal({ onLogin: () => void askLogin('spy'), onPrompt: onMoneyPrompt });
  const price = check?.cost_per_minute ?? offer.pricePerMinuteInToken;
  const tip = check?.startup_tip ?? offer.startupTipInToken;
  const question = useSpyQuestion({ price, tip });
  const [isAsking, setAsking] = useState(false);
  const start = async () => {
    setBusy(true);
    await call(startSpying, { username, price, startup_tip: tip }).catch((error: unknown) => {
      const problem = problemOf(error);
      toast(problem.message, 'error');
      refused(problem, price + tip);
      // What was shown may be out of date.
      again();
    });
    setBusy(false);
    setAsking(false);
  };
  const press = () => {
    if (!me) void askLogin('spy');
    else if (question.asks) setAsking(true);
    else void start();
  };
  const accept = (isAskedAgain: boolean) => {
    if (!isAskedAgain) question.agree();
    void start();
  };
  if (check?.bar) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
      <p className="flex min-w-0 grow basis-48 items-center gap-2">
        <Eye size={20} aria-hidden className="shrink-0" />
        <span className="min-w-0 max-sm:[body:has([data-asks])_&]:truncate">
          {t('spying.offer', { name })}
        </span>
      </p>
      {/* The button names the price as well. */}
      <dl className="flex flex-wrap gap-x-6 gap-y-2 max-sm:[body:has([data-asks])_&]:*:first:sr-only">
        <Figure name={t('private.price')}>
          {price === 0 ? t('spying.free') : <Cost tokens={price} perMinute />}
        </Figure>
        {tip > 0
          ? (
            <Figure name={t('spying.tip')}>
              <Cost tokens={tip} />
            </Figure>
          )
          : null}
        {check && check.preview_seconds > 0
          ? (
            <Figure name={t('spying.preview')}>
              <Clock seconds={check.preview_seconds} />
            </Figure>
          )
          : null}
      </dl>
      <Button tone="primary" busy={isBusy} icon={<Eye size={20} aria-hidden />} onClick={press}>
        {price === 0 ? t('spying.doFree') : t('spying.do', { count: price })}
      </Button>
      {isAsking
        ? (
          <Suspense fallback={null}>
            <SpyDialog
              name={name}
              price={price}
              tip={tip}
              previewSeconds={check?.preview_seconds ?? 0}
              busy={isBusy}
              onAccept={accept}
              onReject={() => setAsking(false)}
            />
          </Suspense>
        )
        : null}
    </div>
  );
}

function Running(
  { running, room, onMoneyPrompt }: PagePartProps & { readonly running: RunningSpyView },
) {
  const { t } = useTranslation('shows');
  const end = useAction(endSpying);
  const tokens = useMe()?.tokens ?? 0;
  const isPreviewing = running.preview_seconds > 0;
  return (
    <div
      data-costs
      className="flex flex-wrap items-center gap-x-6 gap-y-1 max-sm:gap-x-4
      max-lg:group-data-keyboard:gap-x-2"
    >
      <p className="flex min-w-0 items-center gap-2 font-bold max-lg:sr-only">
        <Eye size={20} aria-hidden className="shrink-0" />
        <span className="min-w-0 break-words">{t('spying.with', { name: room.user.displayName })}</span>
      </p>
      <dl className={STATE_FIGURES}>
        {isPreviewing
          ? (
            <Figure name={t('spying.preview')}>
              <Clock seconds={running.preview_seconds} />
            </Figure>
          )
          : (
            <>
              <Figure name={t('private.time')}>
                <Clock seconds={running.seconds} />
              </Figure>
              <Figure name={t('private.paid')}>
                {running.cost_per_minute === 0
                  ? t('spying.free')
                  : <Cost tokens={running.tokens + running.startup_tip} />}
              </Figure>
            </>
          )}
        {running.cost_per_minute === 0 ? null : (
          <Figure name={t('private.balance')} wide>
            <Cost tokens={tokens} />
          </Figure>
        )}
        {running.seconds_left === null || isPreviewing ? null : (
          <Figure name={t('private.left')}>
            <Clock seconds={running.seconds_left} />
          </Figure>
        )}
      </dl>
      <div className={STATE_BUTTONS}>
        {running.cost_per_minute === 0
          ? null
          : <Button onClick={() => onMoneyPrompt('low_tokens')}>{t('private.buy')}</Button>}
        <Button tone="danger" busy={end.busy} onClick={() => void end.run({ username: room.user.username })}>
          {t('spying.end')}
        </Button>
      </div>
      <FormError problem={end.problem} />
      {/* Rendered even while empty: a screen reader reads only changes in a region it knows. */}
      <p role="status" className={running.is_paused ? 'basis-full text-sm' : 'sr-only'}>
        {running.is_paused
          ? (
            <span className="inline-flex items-center gap-2 text-warning-text">
              <Pause size={16} aria-hidden className="shrink-0" />
              {t('private.paused.viewer')}
            </span>
          )
          : null}
      </p>
    </div>
  );
}

/** The receipt of spying, until it is closed. */
function Over({ receipt, onClose }: { receipt: SpyReceiptView; onClose: () => void }) {
  const { t } = useTranslation('shows');
  const { reason_ended: reason, preview_seconds: preview } = receipt;
  return (
    <div className="flex items-start gap-3">
      <div className="flex min-w-0 grow flex-col gap-2">
        <p role="status">{t(`spying.reason.${reason}`)}</p>
        <dl className="flex flex-wrap gap-x-6 gap-y-2">
          <Figure name={t('private.time')}>
            <Clock seconds={receipt.seconds} />
          </Figure>
          <Figure name={t('private.paid')}>
            <Cost tokens={receipt.tokens + receipt.startup_tip} />
          </Figure>
          {preview > 0
            ? (
              <Figure name={t('spying.preview')}>
                <Clock seconds={preview} />
              </Figure>
            )
            : null}
          {receipt.released > 0
            ? (
              <Figure name={t('private.released')}>
                <Cost tokens={receipt.released} />
              </Figure>
            )
            : null}
        </dl>
      </div>
      <IconButton label={t('private.close')} onClick={onClose}>
        <X size={20} aria-hidden />
      </IconButton>
    </div>
  );
}
