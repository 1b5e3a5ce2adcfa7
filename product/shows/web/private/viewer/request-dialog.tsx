import { problemOf, useCache, useCall, useRead } from '#platform/ui/calls/calls.ts';
import { useLobby } from '#platform/ui/calls/live.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, keepDigits, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useFields } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getLimits, setLimits } from '#product/ledger/client.ts';
import { useTokenPast } from '#product/ledger/web/live-past.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { useState, type ReactNode } from 'react';
import { limitTooLow, requestPrivate } from '../../../client.ts';
import { secondsFor } from '../../../rules/meter.ts';
import { VIEWER_CONSENT_VERSION } from '../../../rules/private.ts';
import { Cost, useMinutes } from '../amounts.tsx';
import { usePrivateFailure } from '../failure.ts';
import { showRequest, useCheckAgain, usePrivateCheck, type PrivateCheck } from '../live.ts';
import { BAR_TEXTS } from './bars.ts';
import { useVerdict } from './connection.ts';

interface RequestDialogProps extends Pick<PagePartProps, 'room' | 'onMoneyPrompt'> {
  readonly onClose: () => void;
}

/** What a private show would cost and how long it could last, the choices, and the request itself. */
export default function RequestDialog({ room, ...rest }: RequestDialogProps) {
  const { t } = useTranslation('shows');
  const read = usePrivateCheck(room);
  return (
    <Dialog title={t('private.askTitle', { name: room.user.displayName })} onClose={rest.onClose}>
      <Loaded read={read} height="h-64">
        {(check) => (check.bar === null
          ? <RequestForm check={check} {...rest} />
          : <p role="alert">{t(BAR_TEXTS[check.bar])}</p>)}
      </Loaded>
    </Dialog>
  );
}

/** The choices in the form; limits in tokens, null without one. */
interface Wish {
  readonly exclusive: boolean;
  readonly limit: number | null;
  readonly dayLimit: number | null;
}

/** Tokens that the day's limit leaves now: raising the limit takes a day to apply. */
function leftToday({ day: { limit: now, spent } }: PrivateCheck, typed: number | null): number | null {
  const limit = now === null ? typed : Math.min(now, typed ?? now);
  return limit === null ? null : Math.max(0, limit - spent);
}

/** Prices and times of the choices. */
function offerOf(check: PrivateCheck, { exclusive, limit, dayLimit }: Wish) {
  const price = (exclusive ? check.exclusive_cost_per_minute : null) ?? check.cost_per_minute;
  const needed = (exclusive ? check.exclusive_tokens_to_start : null) ?? check.tokens_to_start;
  const left = leftToday(check, dayLimit);
  const most = Math.min(check.spendable, limit ?? Infinity, left ?? Infinity);
  return { price, needed, left, seconds: secondsFor(price, Math.max(0, most - check.pre_tip)) };
}

const tokensIn = (fields: FormData, name: 'limit' | 'day'): number | null =>
  typedTokens(textOf(fields, name));
const typedTokens = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** The request with the form's values, sent once the performer's conditions are met. */
function useRequest(
  { check, onMoneyPrompt, onClose }: Omit<RequestDialogProps, 'room'> & { readonly check: PrivateCheck },
  { price, needed }: Pick<ReturnType<typeof offerOf>, 'price' | 'needed'>,
) {
  const { t, i18n } = useTranslation('shows');
  const low = t('private.limit.low', { count: needed, needed: formatCount(needed, i18n.language) });
  const isLow = (tokens: number | null): boolean => tokens !== null && tokens < needed;
  const call = useCall();
  const cache = useCache();
  const { username } = check;
  const again = useCheckAgain(username);
  const fail = usePrivateFailure(onMoneyPrompt);
  return useFields({
    read: (fields) => ({
      username,
      price,
      pre_tip: check.pre_tip,
      exclusive: fields.has('exclusive'),
      recording: fields.has('recording'),
      recording_consent_version: VIEWER_CONSENT_VERSION,
      limit: tokensIn(fields, 'limit'),
      day: tokensIn(fields, 'day'),
    }),
    check: ({ limit, day }): Readonly<Record<string, string>> => ({
      ...(isLow(limit) ? { limit: low } : {}),
      ...(isLow(leftToday(check, day)) ? { day: t('private.limit.dayLow') } : {}),
    }),
    fieldOf: { [limitTooLow.code]: 'limit' },
    onSubmit: async ({ day, ...wish }) => {
      try {
        if (day !== check.day.limit) await call(setLimits, { day });
        showRequest(cache, await call(requestPrivate, wish));
        onClose();
        return null;
      } catch (error) {
        // What was shown may be out of date.
        again();
        return fail(problemOf(error), needed);
      }
    },
  });
}

function RequestForm(props: Omit<RequestDialogProps, 'room'> & { readonly check: PrivateCheck }) {
  const { t } = useTranslation('shows');
  const { check, onMoneyPrompt } = props;
  const [exclusive, setExclusive] = useState(false);
  const [limit, setLimit] = useState<number | null>(null);
  const [dayLimit, setDayLimit] = useState(check.day.limit);
  const offer = offerOf(check, { exclusive, limit, dayLimit });
  const dayHint = useDayHint(check, dayLimit);
  const form = useRequest(props, offer);
  const send = (
    <>
      <Button type="submit" tone="primary" wide busy={form.busy}>{t('private.send')}</Button>
      <p className="text-sm text-muted">{t('private.fair')}</p>
    </>
  );
  const [limitField, dayField] = [form.field('limit'), form.field('day')];
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <Terms check={check} offer={offer} hasLimit={limit !== null || offer.left !== null} />
      {check.exclusive_cost_per_minute === null
        ? null
        : (
          <Checkbox
            name="exclusive"
            checked={exclusive}
            onChange={({ target }) => setExclusive(target.checked)}
            label={
              <Choice
                text={t('private.choose.exclusive')}
                hint={t('private.choose.exclusiveHint')}
                price={check.exclusive_cost_per_minute}
              />
            }
          />
        )}
      {check.is_recording_enabled
        ? (
          <Checkbox
            name="recording"
            label={<Choice text={t('private.choose.recording')} hint={t('private.choose.recordingHint')} />}
          />
        )
        : null}
      <TextField
        {...limitField}
        label={t('private.limit.label')}
        hint={t('private.limit.hint')}
        inputMode="numeric"
        autoComplete="off"
        maxLength={7}
        onInput={keepDigits}
        onChange={(change) => {
          setLimit(typedTokens(change.target.value));
          limitField.onChange(change);
        }}
      />
      <TextField
        {...dayField}
        label={t('private.limit.day')}
        hint={dayHint}
        defaultValue={check.day.limit ?? ''}
        inputMode="numeric"
        autoComplete="off"
        maxLength={8}
        onInput={keepDigits}
        onChange={(change) => {
          setDayLimit(typedTokens(change.target.value));
          dayField.onChange(change);
        }}
      />
      <ConnectionLine streamBits={check.stream_bits_per_second} />
      <FormError problem={form.problem} />
      {check.spendable < offer.needed
        ? (
          <Short check={check} needed={offer.needed} onBuy={() => onMoneyPrompt('low_tokens', offer.needed)}>
            {send}
          </Short>
        )
        : send}
    </form>
  );
}

/** What a show costs, what starting takes, and how long the tokens last. */
function Terms({ check, offer: { price, needed, seconds }, hasLimit }: {
  check: PrivateCheck;
  offer: ReturnType<typeof offerOf>;
  hasLimit: boolean;
}) {
  const { t } = useTranslation('shows');
  const minutes = useMinutes();
  return (
    <dl className="flex flex-col gap-2 rounded-control bg-raised px-4 py-3">
      <Row name={t('private.price')}>
        <Cost tokens={price} perMinute />
      </Row>
      {check.pre_tip > 0
        ? (
          <Row name={t('private.preTip')}>
            <Cost tokens={check.pre_tip} />
          </Row>
        )
        : null}
      <Row name={t('private.toStart')}>
        <Cost tokens={needed} />
      </Row>
      <Row name={t('private.balance')}>
        <Cost tokens={check.tokens} />
      </Row>
      <Row name={t(hasLimit ? 'private.limit.lasts' : 'private.lasts')}>
        <span className="tabular">{minutes(seconds)}</span>
      </Row>
    </dl>
  );
}

/** What is left of the day's limit, and when a new limit applies. */
function useDayHint({ day: { limit, spent } }: PrivateCheck, typed: number | null): string {
  const { t, i18n } = useTranslation('shows');
  if (limit === null) return t('private.limit.dayHint');
  if (typed === null || typed > limit) return t('private.limit.dayLater');
  const left = Math.max(0, typed - spent);
  return t('private.limit.dayLeft', { count: left, left: formatCount(left, i18n.language) });
}

/**
 * For viewers who cannot spend what starting takes: the budget that prevents it, or the missing tokens and a
 * way to buy them without leaving. The day's limit has its field above; `children` send the request.
 */
function Short({ check: { tokens, day }, needed, onBuy, children }: {
  readonly check: PrivateCheck;
  readonly needed: number;
  readonly onBuy: () => void;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation('shows');
  const read = useRead(getLimits, {});
  useTokenPast(useLobby());
  return (
    <Loaded read={read} height="h-11">
      {({ budgets, credit_tokens: credit, debt_tokens: debt }) => {
        const stands = (period: 'week' | 'month'): boolean =>
          budgets.some((budget) =>
            budget.period === period && budget.tokens !== null && budget.tokens - budget.spent < needed
          );
        // Buying tokens does not help viewers whose own budget is used up.
        if (stands('month')) return <p role="status">{t('private.budget.month')}</p>;
        if (stands('week')) return <p role="status">{t('private.budget.week')}</p>;
        const missing = needed - tokens - Math.max(0, credit - debt);
        const isShortToday = day.limit !== null && day.limit - day.spent < needed;
        return isShortToday || missing <= 0 ? children : <Missing missing={missing} onBuy={onBuy} />;
      }}
    </Loaded>
  );
}

function Missing({ missing, onBuy }: { missing: number; onBuy: () => void }) {
  const { t, i18n } = useTranslation('shows');
  return (
    <>
      <p role="status">
        {t('private.short', { count: missing, missing: formatCount(missing, i18n.language) })}
      </p>
      <Button tone="primary" wide onClick={onBuy}>{t('private.buy')}</Button>
    </>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-4">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="font-bold">{children}</dd>
    </div>
  );
}

/** The text of a checkbox, with its price. */
function Choice({ text, hint, price }: { text: string; hint: string; price?: number }) {
  return (
    <>
      {text} {price === undefined ? null : <Cost tokens={price} perMinute />}
      <span className="block text-xs text-muted">{hint}</span>
    </>
  );
}

/** Whether the connection can carry the video, as far as this browser knows. */
function ConnectionLine({ streamBits }: { streamBits: number | null }) {
  const { t, i18n } = useTranslation('shows');
  const verdict = useVerdict(streamBits);
  const rate = streamBits === null ? '' : new Intl.NumberFormat(i18n.language, {
    maximumFractionDigits: 1,
  }).format(streamBits / 1_000_000);
  return (
    <p
      role={verdict === 'short' ? 'alert' : undefined}
      className={`text-sm ${verdict === 'short' ? 'text-warning-text' : 'text-muted'}`}
    >
      {t(`private.connection.${streamBits === null ? 'noPicture' : verdict}`, { rate })}
    </p>
  );
}
