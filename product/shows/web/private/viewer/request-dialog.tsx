import { useState, type ReactNode } from 'react';
import { problemOf, useCache, useCall } from '../../../../../platform/ui/calls/calls.ts';
import { Button } from '../../../../../platform/ui/controls/button.tsx';
import { Checkbox, keepDigits, TextField } from '../../../../../platform/ui/controls/fields.tsx';
import { textOf, useFields } from '../../../../../platform/ui/forms/form.ts';
import { Dialog } from '../../../../../platform/ui/surfaces/dialog.tsx';
import { Loaded } from '../../../../../platform/ui/surfaces/section.tsx';
import { FormError } from '../../../../../platform/ui/surfaces/states.tsx';
import { formatCount } from '../../../../../platform/ui/text/amounts.tsx';
import { useTranslation } from '../../../../../platform/ui/text/use-translation.ts';
import type { PagePartProps } from '../../../../rooms/web/page-part.ts';
import { limitTooLow, requestPrivate } from '../../../client.ts';
import { secondsFor } from '../../../rules/meter.ts';
import { Cost, useMinutes } from '../amounts.tsx';
import { usePrivateFailure } from '../failure.ts';
import { showRequest, useCheckAgain, usePrivateCheck, type PrivateCheck } from '../live.ts';
import { BAR_TEXTS } from './bars.ts';
import { useVerdict } from './connection.ts';

interface RequestDialogProps extends Pick<PagePartProps, 'room' | 'onMoneyPrompt'> {
  readonly onClose: () => void;
}

/** What a private show would cost and for how long, what can be chosen, and the request itself. */
export default function RequestDialog({ room, ...rest }: RequestDialogProps) {
  const { t } = useTranslation('shows');
  const read = usePrivateCheck(room);
  return (
    <Dialog title={t('private.askTitle', { name: room.user.displayName })} onClose={rest.onClose}>
      <Loaded read={read} height="h-64">
        {(check) => (check.bar === null ? <RequestForm check={check} {...rest} />
          : <p role="alert">{t(BAR_TEXTS[check.bar])}</p>)}
      </Loaded>
    </Dialog>
  );
}

/** Prices and times of what is chosen. */
function offerOf(check: PrivateCheck, exclusive: boolean, limit: number | null) {
  const price = (exclusive ? check.exclusive_cost_per_minute : null) ?? check.cost_per_minute;
  const needed = (exclusive ? check.exclusive_tokens_to_start : null) ?? check.tokens_to_start;
  const lasts = (exclusive ? check.exclusive_seconds : null) ?? check.seconds;
  const within = limit === null ? lasts : secondsFor(price, Math.max(0, limit - check.pre_tip));
  return { price, needed, seconds: Math.min(lasts, within) };
}

const limitIn = (fields: FormData): number | null => {
  const typed = textOf(fields, 'limit').trim();
  return typed === '' ? null : Number(typed);
};

/** The request as the form has it, sent once the performer's terms are met. */
function useRequest(
  { check, onMoneyPrompt, onClose }: Omit<RequestDialogProps, 'room'> & { readonly check: PrivateCheck },
  { price, needed }: Pick<ReturnType<typeof offerOf>, 'price' | 'needed'>,
) {
  const { t, i18n } = useTranslation('shows');
  const call = useCall();
  const cache = useCache();
  const { username } = check;
  const again = useCheckAgain(username);
  const fail = usePrivateFailure(onMoneyPrompt);
  return useFields({
    read: (fields) => ({
      username, price, exclusive: fields.has('exclusive'), recording: fields.has('recording'),
      limit: limitIn(fields),
    }),
    check: ({ limit }): Readonly<Record<string, string>> => (limit !== null && limit < needed
      ? { limit: t('private.limit.low', { count: needed, needed: formatCount(needed, i18n.language) }) }
      : {}),
    fieldOf: { [limitTooLow.code]: 'limit' },
    onSubmit: async (wish) => {
      try {
        showRequest(cache, await call(requestPrivate, wish));
        onClose();
        return null;
      } catch (error) {
        // What was shown may not be true any more.
        again();
        return fail(problemOf(error));
      }
    },
  });
}

function RequestForm(props: Omit<RequestDialogProps, 'room'> & { readonly check: PrivateCheck }) {
  const { t } = useTranslation('shows');
  const { check, onMoneyPrompt } = props;
  const [exclusive, setExclusive] = useState(false);
  const [limit, setLimit] = useState<number | null>(null);
  const offer = offerOf(check, exclusive, limit);
  const form = useRequest(props, offer);
  const limitField = form.field('limit');
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <Terms check={check} offer={offer} hasLimit={limit !== null} />
      {check.exclusive_cost_per_minute === null ? null : (
        <Checkbox name="exclusive" checked={exclusive} onChange={({ target }) => setExclusive(target.checked)}
          label={<Choice text={t('private.choose.exclusive')} hint={t('private.choose.exclusiveHint')}
            price={check.exclusive_cost_per_minute} />} />
      )}
      {check.is_recording_enabled ? (
        <Checkbox name="recording" label={(
          <Choice text={t('private.choose.recording')} hint={t('private.choose.recordingHint')} />
        )} />
      ) : null}
      <TextField {...limitField} label={t('private.limit.label')} hint={t('private.limit.hint')}
        inputMode="numeric" autoComplete="off" maxLength={7} onInput={keepDigits}
        onChange={(change) => {
          setLimit(change.target.value === '' ? null : Number(change.target.value));
          limitField.onChange(change);
        }} />
      <ConnectionLine streamBits={check.stream_bits_per_second} />
      <FormError problem={form.problem} />
      {check.tokens < offer.needed ? (
        <Short missing={offer.needed - check.tokens} onBuy={() => onMoneyPrompt('low_tokens')} />
      ) : (
        <>
          <Button type="submit" tone="primary" wide busy={form.busy}>{t('private.send')}</Button>
          <p className="text-sm text-muted">{t('private.fair')}</p>
        </>
      )}
    </form>
  );
}

/** What it costs, what starting takes, and how long the tokens last. */
function Terms({ check, offer: { price, needed, seconds }, hasLimit }: {
  check: PrivateCheck; offer: ReturnType<typeof offerOf>; hasLimit: boolean;
}) {
  const { t } = useTranslation('shows');
  const minutes = useMinutes();
  return (
    <dl className="flex flex-col gap-2 rounded-control bg-raised px-4 py-3">
      <Row name={t('private.price')}><Cost tokens={price} perMinute /></Row>
      {check.pre_tip > 0 ? <Row name={t('private.preTip')}><Cost tokens={check.pre_tip} /></Row> : null}
      <Row name={t('private.toStart')}><Cost tokens={needed} /></Row>
      <Row name={t('private.balance')}><Cost tokens={check.tokens} /></Row>
      <Row name={t(hasLimit ? 'private.limit.lasts' : 'private.lasts')}>
        <span className="tabular">{minutes(seconds)}</span>
      </Row>
    </dl>
  );
}

/** In place of the request, for whoever lacks tokens: what is missing, and buying it without leaving. */
function Short({ missing, onBuy }: { missing: number; onBuy: () => void }) {
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

/** The words of a tick box, with what is chosen by it. */
function Choice({ text, hint, price }: { text: string; hint: string; price?: number }) {
  return (
    <>
      {text} {price === undefined ? null : <Cost tokens={price} perMinute />}
      <span className="block text-xs text-muted">{hint}</span>
    </>
  );
}

/** Whether the connection carries the picture, as far as this browser says. */
function ConnectionLine({ streamBits }: { streamBits: number | null }) {
  const { t, i18n } = useTranslation('shows');
  const verdict = useVerdict(streamBits);
  const rate = streamBits === null ? '' : new Intl.NumberFormat(i18n.language, {
    maximumFractionDigits: 1,
  }).format(streamBits / 1_000_000);
  return (
    <p role={verdict === 'short' ? 'alert' : undefined}
      className={`text-sm ${verdict === 'short' ? 'text-warning-text' : 'text-muted'}`}>
      {t(`private.connection.${streamBits === null ? 'noPicture' : verdict}`, { rate })}
    </p>
  );
}
