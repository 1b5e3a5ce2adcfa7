import type { OutputOf } from '#platform/contract/call.ts';
import { useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSecondsUntil } from '#platform/ui/time/countdown.ts';
import { MAX_RATE, MIN_RATE } from '#product/performers/rules.ts';
import { getShowSettings, saveShowSettings, setDiscount } from '../../client.ts';
import type { PrivateSettingView } from '../../contract/settings.ts';
import {
  MAX_DISCOUNT_MINUTES,
  MAX_DISCOUNT_PERCENT,
  MAX_MINIMUM_MINUTES,
  MAX_PRE_TIP_TOKENS,
  MAX_TOKENS_TO_START,
  MIN_DISCOUNT_MINUTES,
  MIN_DISCOUNT_PERCENT,
} from '../../rules/private.ts';
import { Clock, Cost } from '../private/amounts.tsx';
import { showOffer } from './live.ts';
import { SharecamSection } from './sharecam-section.tsx';

type Offer = OutputOf<typeof getShowSettings>;

/** A performer's offer of private shows, and the discount in effect. */
export function OfferSections() {
  const { t } = useTranslation('shows');
  const read = useRead(getShowSettings, {});
  return (
    <>
      <Section anchor="offer" title={t('offer.title')} lead={t('offer.lead')}>
        <Loaded read={read} height="h-96">{({ private: offer }) => <OfferForm offer={offer} />}</Loaded>
      </Section>
      <Section anchor="discount" title={t('discount.title')} lead={t('discount.lead')}>
        <Loaded read={read} height="h-24">{(offer) => <Discount offer={offer} />}</Loaded>
      </Section>
      <SharecamSection />
    </>
  );
}

const NUMBERS = [
  ['pricePerMinuteInToken', MIN_RATE, MAX_RATE],
  ['exclusivePricePerMinuteInToken', MIN_RATE, MAX_RATE],
  ['preTipCost', 0, MAX_PRE_TIP_TOKENS],
  ['privateMinimumDuration', 0, MAX_MINIMUM_MINUTES],
  ['minimumTokenToStart', 0, MAX_TOKENS_TO_START],
] as const satisfies readonly (readonly [keyof PrivateSettingView, number, number])[];
const FLAGS = [
  'isEnabled',
  'isExclusiveEnabled',
  'isPreTipEnabled',
  'isRecordingEnabled',
  'isWatchPornTogetherEnabled',
] as const satisfies readonly (keyof PrivateSettingView)[];

/** The values of the fields; the call's shape checks them. */
const offerIn = (fields: FormData): Partial<PrivateSettingView> =>
  Object.fromEntries([
    ...FLAGS.map((name) => [name, fields.has(name)] as const),
    ...NUMBERS.map(([name]) => [name, Number(textOf(fields, name))] as const),
  ]) as Partial<PrivateSettingView>;

function OfferForm({ offer }: { offer: PrivateSettingView }) {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const form = useForm(saveShowSettings, {
    shape: async () => (await import('../../contract/settings.ts')).saveShowSettings,
    read: (fields) => ({ private: offerIn(fields) }),
    applied: showOffer,
    onDone: () => toast(t('offer.saved'), 'success'),
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <div className="grid gap-x-4 sm:grid-cols-2">
        {FLAGS.map((name) => (
          <Checkbox
            key={name}
            {...form.field(name)}
            defaultChecked={offer[name]}
            label={
              <>
                {t(`offer.${name}`)}
                <span className="block text-xs text-muted">{t(`offer.hint.${name}`)}</span>
              </>
            }
          />
        ))}
      </div>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {NUMBERS.map(([name, min, max]) => (
          <TextField
            key={name}
            {...form.field(name)}
            type="number"
            inputMode="numeric"
            required
            step={1}
            min={min}
            max={max}
            label={t(`offer.${name}`)}
            hint={t(`offer.hint.${name}`)}
            defaultValue={offer[name]}
          />
        ))}
      </div>
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('offer.save')}</Button>
      </div>
    </form>
  );
}

function Discount({ offer }: { offer: Offer }) {
  const { t } = useTranslation('shows');
  if (!offer.private.isEnabled) return <p className="text-sm text-muted">{t('discount.closed')}</p>;
  return offer.privateDiscount === null ? <DiscountForm /> : <RunningDiscount {...offer.privateDiscount} />;
}

function DiscountForm() {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const form = useForm(setDiscount, {
    shape: async () => (await import('../../contract/settings.ts')).setDiscount,
    read: (fields) => ({
      discountRate: Number(textOf(fields, 'discountRate')),
      minutes: Number(textOf(fields, 'minutes')),
    }),
    applied: showOffer,
    onDone: () => toast(t('discount.started'), 'success'),
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          {...form.field('discountRate')}
          type="number"
          inputMode="numeric"
          required
          step={1}
          min={MIN_DISCOUNT_PERCENT}
          max={MAX_DISCOUNT_PERCENT}
          label={t('discount.percent')}
          defaultValue={20}
        />
        <TextField
          {...form.field('minutes')}
          type="number"
          inputMode="numeric"
          required
          step={1}
          min={MIN_DISCOUNT_MINUTES}
          max={MAX_DISCOUNT_MINUTES}
          label={t('discount.minutes')}
          defaultValue={60}
        />
      </div>
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{t('discount.start')}</Button>
      </div>
    </form>
  );
}

function RunningDiscount({ discountRate, until, privatePricePerMinuteInToken }: NonNullable<
  Offer['privateDiscount']
>) {
  const { t } = useTranslation('shows');
  const end = useAction(setDiscount, showOffer);
  const left = useSecondsUntil(Date.parse(until));
  return (
    <div className="flex flex-col gap-3">
      <p>
        {t('private.discount', { percent: discountRate })} <Clock seconds={left} />
      </p>
      <p>
        <Cost tokens={privatePricePerMinuteInToken} perMinute />
      </p>
      <FormError problem={end.problem} />
      <div>
        <Button
          busy={end.busy}
          onClick={() => void end.run({ discountRate: 0, minutes: MIN_DISCOUNT_MINUTES })}
        >
          {t('discount.end')}
        </Button>
      </div>
    </div>
  );
}
